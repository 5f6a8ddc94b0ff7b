// SPDX-License-Identifier: Apache-2.0

package otlppathsextension

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
)

// FuzzPaths asks for whatever path. What is handed on goes to the API that is
// configured and to a path of the API, as it was spelled; what is rewritten is one of
// the three paths of OTLP; all else stays as it was.
func FuzzPaths(f *testing.F) {
	for _, path := range []string{
		"/", "//", "//v1/traces", "/v1/traces/", "/v1//logs//", "/%2Fv1/traces", "/v2", "//v2/metrics?x=%zz", "/v2/../v1/traces", "/v2%2fx", "//%762/x",
		"/v1/traceloop/", "//api/config/%2e%2e", "http://other.example/v2/me", "*", "//evil.example/v2/me", "/v2/\\evil", "/v2/%00", "/v2/;a=b?c#d",
	} {
		f.Add(http.MethodPost, path, "a=b")
		f.Add(http.MethodGet, path, "")
	}
	var sent, got *http.Request
	api := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { sent = r }))
	f.Cleanup(api.Close)
	e := &otlpPaths{cfg: &Config{API: api.URL}, log: zap.NewNop()}
	f.Cleanup(func() { require.NoError(f, e.Shutdown(context.Background())) })
	wrap, err := e.GetHTTPHandler(f.Context())
	require.NoError(f, err)
	h, err := wrap(f.Context(), http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r }))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, method, uri, cookie string) {
		// As a server reads the first line of a request.
		asked, err := url.ParseRequestURI(uri)
		if err != nil {
			return
		}
		sent, got = nil, nil
		r := (&http.Request{
			Method: method, URL: asked, RequestURI: uri, Host: "otlp.example.com", Header: http.Header{"Cookie": {cookie}}, RemoteAddr: "192.0.2.1:1",
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Body: http.NoBody,
		}).WithContext(t.Context())
		before, answer := *asked, httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		require.Equal(t, before, *asked, "what came stays as it was")

		path := "/" + strings.TrimLeft(before.Path, "/")
		toAPI := path == "/v2" || strings.HasPrefix(path, "/v2/") || strings.HasPrefix(path, "/v1/traceloop/") || strings.HasPrefix(path, "/api/config/")
		switch {
		case sent != nil:
			require.True(t, toAPI, "%q went to the API", uri)
			require.Nil(t, got)
			require.Equal(t, "http://"+sent.Host, api.URL)
			require.Equal(t, path, sent.URL.Path, "the API reads the same path")
			require.False(t, strings.HasPrefix(sent.RequestURI, "//"), "%q", sent.RequestURI)
			require.Empty(t, sent.Header["Cookie"])
		case got != nil:
			require.False(t, toAPI)
			if got.URL.Path != before.Path {
				require.Contains(t, []string{tracesPath, logsPath, metricsPath}, got.URL.Path)
				require.Equal(t, before.RawQuery, got.URL.RawQuery)
				words := strings.FieldsFunc(before.Path, func(c rune) bool { return c == '/' })
				require.True(t, len(words) == 0 && method == http.MethodPost || "/"+strings.Join(words, "/") == got.URL.Path, "%q became %q", uri, got.URL.Path)
			}
		default:
			require.True(t, toAPI, "%q was not served", uri)
			require.Contains(t, []int{http.StatusBadRequest, http.StatusServiceUnavailable}, answer.Code, "what HTTP has no words for")
		}
	})
}
