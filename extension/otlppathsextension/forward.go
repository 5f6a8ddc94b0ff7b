// SPDX-License-Identifier: Apache-2.0

package otlppathsextension

import (
	"errors"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/fair"
)

// forAPI returns the request that the API gets, if its path is one of the API:
// an SDK whose base URL ends in a slash sends two at the beginning.
func forAPI(r *http.Request) (*http.Request, bool) {
	path := "/" + strings.TrimLeft(r.URL.Path, "/")
	if path != "/v2" && !strings.HasPrefix(path, "/v2/") && !strings.HasPrefix(path, "/v1/traceloop/") && !strings.HasPrefix(path, "/api/config/") {
		return nil, false
	}
	moved := withPath(r, path)
	if r.URL.RawPath != "" {
		moved.URL.RawPath = "/" + strings.TrimLeft(r.URL.RawPath, "/")
	}
	return moved, true
}

// The answers to a caller when the API does not answer, and when too many requests
// are under way already.
const (
	unavailable = `{"error":"the API does not answer; try again later"}` + "\n"
	tooMany     = `{"error":"too many requests to the API come by this port; try again later"}` + "\n"
)

// newForwarder makes what hands requests to the API. The credential goes along:
// the API decides for itself who calls. Cookies do not.
func newForwarder(base *url.URL, transport http.RoundTripper, logger *zap.Logger) http.Handler {
	proxy := &httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(base)
			r.Out.Host = base.Host
			r.Out.Header.Del("Cookie") // browsers send those of every port of a host along
			r.SetXForwarded()
		},
		ErrorLog: log.New(&debugWriter{logger}, "", 0),
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil { // else the caller has left
				logger.Warn("the API did not answer", zap.Error(err))
			}
			tell(w, http.StatusServiceUnavailable, unavailable)
		},
	}
	var handed fair.Held[string]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leave, err := handed.Enter(callerOf(r), 0, mayEnter)
		if refused, is := errors.AsType[refusal](err); is {
			tell(w, int(refused), tooMany)
			return
		}
		defer leave()
		// How long an answer may take is the API's to say; some wait for a model.
		control := http.NewResponseController(w)
		_ = control.SetWriteDeadline(time.Time{})
		proxy.ServeHTTP(&patient{w, control}, r)
	})
}

// tell answers that a request was not served, as the API would say it.
func tell(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Retry-After", "2")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(message))
}

// debugWriter logs what the proxy has to say beyond errors.
type debugWriter struct{ logger *zap.Logger }

func (d *debugWriter) Write(b []byte) (int, error) {
	d.logger.Debug(strings.TrimSpace(string(b)))
	return len(b), nil
}
