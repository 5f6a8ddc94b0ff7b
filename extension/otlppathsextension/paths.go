// SPDX-License-Identifier: Apache-2.0

package otlppathsextension

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensionmiddleware"
	"go.uber.org/zap"
)

const (
	tracesPath  = "/v1/traces"
	logsPath    = "/v1/logs"
	metricsPath = "/v1/metrics"
)

var (
	_ extension.Extension            = (*otlpPaths)(nil)
	_ extensionmiddleware.HTTPServer = (*otlpPaths)(nil)
)

type otlpPaths struct {
	component.StartFunc
	cfg       *Config
	log       *zap.Logger
	transport *http.Transport // to the API, nil before there is one
}

// Shutdown closes the idle connections to the API.
func (e *otlpPaths) Shutdown(context.Context) error {
	if e.transport != nil {
		e.transport.CloseIdleConnections()
	}
	return nil
}

// GetHTTPHandler wraps a server's router. Without this the router would answer
// //v1/traces with a redirect, which SDKs do not follow with their data.
func (e *otlpPaths) GetHTTPHandler(context.Context) (extensionmiddleware.WrapHTTPHandlerFunc, error) {
	forward, err := e.forwarder()
	if err != nil {
		return nil, err
	}
	return func(_ context.Context, next http.Handler) (http.Handler, error) {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if forward != nil {
				if moved, ok := forAPI(r); ok {
					forward.ServeHTTP(w, moved)
					return
				}
			}
			if path, ok := standard(r); ok {
				r = withPath(r, path)
			}
			next.ServeHTTP(w, r)
		}), nil
	}, nil
}

// forwarder returns what hands requests to the API, nil if none is configured.
func (e *otlpPaths) forwarder() (http.Handler, error) {
	if e.cfg.API == "" {
		return nil, nil
	}
	base, err := e.cfg.base()
	if err != nil {
		return nil, err
	}
	if e.transport == nil {
		e.transport = http.DefaultTransport.(*http.Transport).Clone()
		e.transport.Proxy = nil // it is a neighbour
		e.transport.MaxIdleConnsPerHost, e.transport.MaxConnsPerHost = 100, atOnce
	}
	return newForwarder(base, e.transport, e.log), nil
}

// standard returns the path that a request means, if it is an unusual spelling
// of one: slashes doubled or at the end, or nothing but a slash to post to.
func standard(r *http.Request) (string, bool) {
	path := r.URL.Path
	if !strings.HasPrefix(path, "/") || r.URL.RawPath != "" {
		return "", false
	}
	if strings.Trim(path, "/") == "" {
		return tracesPath, r.Method == http.MethodPost
	}
	if !strings.HasSuffix(path, "/") && !strings.Contains(path, "//") {
		return "", false
	}
	words := strings.FieldsFunc(path, func(c rune) bool { return c == '/' })
	switch single := "/" + strings.Join(words, "/"); single {
	case tracesPath, logsPath, metricsPath:
		return single, true
	}
	return "", false
}

// withPath returns r with another path. What came with r stays as it was: the
// server may still be reading it.
func withPath(r *http.Request, path string) *http.Request {
	moved := *r
	moved.URL = new(url.URL)
	*moved.URL = *r.URL
	moved.URL.Path = path
	return &moved
}
