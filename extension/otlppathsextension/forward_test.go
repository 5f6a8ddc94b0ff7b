// SPDX-License-Identifier: Apache-2.0

package otlppathsextension

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/testbed"
)

func TestAPIBehindTheOTLPPort(t *testing.T) {
	t.Parallel()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		if r.Header.Get("Cookie") != "" {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(http.StatusCreated)
		_, _ = fmt.Fprintf(w, "%s %s %s %s", r.Method, r.RequestURI, r.Header.Get("Authorization"), body)
	}))
	t.Cleanup(api.Close)
	in := newIntake(t, api.URL)
	for _, c := range []struct{ method, path, want string }{
		{http.MethodPost, "/v2/evaluators/char-count/execute", "POST /v2/evaluators/char-count/execute Bearer key body"},
		{http.MethodPost, "//v2/evaluators", "POST /v2/evaluators Bearer key body"},
		{http.MethodGet, "/v2/auto-monitor-setups/a%2Fb?status=pending&x=%20", "GET /v2/auto-monitor-setups/a%2Fb?status=pending&x=%20 Bearer key body"},
		{http.MethodDelete, "/v2", "DELETE /v2 Bearer key body"},
		{http.MethodPost, "/v1/traceloop/score", "POST /v1/traceloop/score Bearer key body"},
		{http.MethodDelete, "/api/config/privacy/data-deletion", "DELETE /api/config/privacy/data-deletion Bearer key body"},
	} {
		status, kind, answer := in.do(t, c.method, c.path, strings.NewReader("body"), map[string]string{"Authorization": "Bearer key", "Cookie": "touchstone_session=x"})
		require.Equal(t, http.StatusCreated, status, c.path)
		require.Equal(t, "application/json; charset=utf-8", kind)
		require.Equal(t, c.want, string(answer))
	}
	status, _, answer := in.do(t, http.MethodPost, "/v2/x", bytes.NewReader(zipped(t, []byte("packed"))),
		map[string]string{"Content-Encoding": "gzip"})
	require.Equal(t, http.StatusCreated, status)
	require.Equal(t, "POST /v2/x  packed", string(answer))

	for _, path := range []string{"/v22", "/v1/v2/x", "/v1/x", "/v1/traceloop"} {
		status, _, _ := in.do(t, http.MethodGet, path, nil, nil)
		require.Equal(t, http.StatusNotFound, status, path)
	}
	status, _, _ = in.do(t, http.MethodPost, "/v1/traces", strings.NewReader(tracesJSON), map[string]string{"Content-Type": "application/json"})
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, 1, in.traces.SpanCount())
}

func TestAPIThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	nobody, err := testbed.FreeAddress()
	require.NoError(t, err)
	in := newIntake(t, "http://"+nobody)
	status, kind, answer := in.do(t, http.MethodGet, "/v2/evaluators", nil, nil)
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Equal(t, "application/json; charset=utf-8", kind)
	require.JSONEq(t, `{"error":"the API does not answer; try again later"}`, string(answer))
}

// Half-sent requests of a caller take no more of the API than he may have, and others
// are served.
func TestWhatIsHandedToTheAPIIsBounded(t *testing.T) {
	t.Parallel()
	var here atomic.Int64
	api := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		here.Add(1)
		defer here.Add(-1)
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	t.Cleanup(api.Close)
	in := newIntake(t, api.URL)
	bodies := make([]*io.PipeWriter, 0, ofCaller)
	var sent sync.WaitGroup
	for range ofCaller {
		body, half := io.Pipe()
		bodies = append(bodies, half)
		sent.Go(func() {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, in.url+"/v2/metrics", body)
			if err != nil {
				t.Error(err)
				return
			}
			if answer, err := in.client.Do(r); err != nil || answer.Body.Close() != nil || answer.StatusCode != http.StatusOK {
				t.Errorf("%v %v", answer, err)
			}
		})
	}
	require.Eventually(t, func() bool { return here.Load() == ofCaller }, time.Minute, time.Millisecond)
	status, kind, answer := in.do(t, http.MethodGet, "/v2/evaluators", nil, nil)
	require.Equal(t, http.StatusTooManyRequests, status)
	require.Equal(t, "application/json; charset=utf-8", kind)
	require.Contains(t, string(answer), "too many requests to the API")
	for _, half := range bodies {
		require.NoError(t, half.Close())
	}
	sent.Wait()
	status, _, _ = in.do(t, http.MethodGet, "/v2/evaluators", nil, nil)
	require.Equal(t, http.StatusOK, status)
}

func TestWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	var held fair.Held[string]
	var leave []func()
	for i := range atOnce {
		left, err := held.Enter(fmt.Sprint(i), 0, mayEnter)
		require.NoError(t, err)
		leave = append(leave, left)
	}
	_, err := held.Enter("another", 0, mayEnter)
	require.Equal(t, refusal(http.StatusServiceUnavailable), err)
	for _, left := range leave {
		left()
	}
	all, callers := held.All()
	require.Zero(t, all)
	require.Zero(t, callers)
}

func TestNoAPI(t *testing.T) {
	t.Parallel()
	status, _, _ := newIntake(t, "").do(t, http.MethodGet, "/v2/evaluators", nil, nil)
	require.Equal(t, http.StatusNotFound, status)
}
