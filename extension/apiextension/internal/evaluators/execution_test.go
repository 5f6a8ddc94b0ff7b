// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest/resttest"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// The result may take longer than other requests may, and than the server's
// own timeouts.
func TestStreamWaitsLongerThanOtherRequests(t *testing.T) {
	t.Parallel()
	a := &ExecutionsAPI{Jobs: NewJobs(time.Minute, time.Now)}
	defer a.Jobs.Stop()
	server := resttest.Server(t, tenant.Environment{ID: "acme"})
	server.Timeout = 100 * time.Millisecond
	began := make(chan struct{})
	slow := resttest.Environment(http.MethodGet, "/slow", func(r *http.Request, _ tenant.Environment) (rest.Response, error) {
		<-r.Context().Done()
		return rest.Response{}, r.Context().Err()
	})
	routes := append(a.Routes(), slow)
	listening := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != slow.Path {
			close(began)
		}
		resttest.Handler(server, routes).ServeHTTP(w, r)
	}))
	// Far more than a request of the usual length takes.
	const limit = 2 * time.Second
	listening.Config.ReadTimeout, listening.Config.WriteTimeout = limit, limit
	listening.Start()
	defer listening.Close()
	get := func(path string) (status int, body string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, listening.URL+path, nil)
		if err != nil {
			return 0, err.Error()
		}
		resp, err := listening.Client().Do(r)
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			return 0, err.Error()
		}
		return resp.StatusCode, string(text)
	}
	gate := make(chan struct{})
	x := begin(t, a.Jobs, "acme", "", held(gate))
	type response struct {
		status int
		body   string
	}
	streamed := make(chan response, 1)
	go func() {
		status, body := get("/v2/executions/" + x.id + "/stream")
		streamed <- response{status, body}
	}()
	<-began
	// Requests of the usual length, one after the other, have run into their limit
	// since, and all of them into that of the server.
	for since := time.Now(); time.Since(since) <= limit; {
		status, _ := get(slow.Path)
		require.Equal(t, http.StatusServiceUnavailable, status)
	}
	close(gate)
	got := <-streamed
	require.Equal(t, http.StatusOK, got.status, got.body)
}

func TestStreamEndsWithTheService(t *testing.T) {
	t.Parallel()
	a := &ExecutionsAPI{Jobs: NewJobs(time.Minute, time.Now)}
	h := resttest.Handler(resttest.Server(t, tenant.Environment{ID: "acme"}), a.Routes())
	x := begin(t, a.Jobs, "acme", "", held(nil))
	answered := make(chan int)
	go func() { answered <- resttest.Call(t, h, http.MethodGet, "/v2/executions/"+x.id+"/stream", "").Code }()
	a.Jobs.Stop()
	require.Contains(t, []int{http.StatusServiceUnavailable}, <-answered)
	require.Equal(t, fault.Unavailable, fault.KindOf(x.err))
}

// A server that cannot wait longer still answers.
func TestStreamOfAServerThatCannotHoldIt(t *testing.T) {
	t.Parallel()
	a := &ExecutionsAPI{Jobs: NewJobs(time.Hour, time.Now)}
	defer a.Jobs.Stop()
	server := resttest.Server(t, tenant.Environment{ID: "acme"})
	server.Timeout, server.Long = 10*time.Millisecond, time.Hour
	x := begin(t, a.Jobs, "acme", "", held(nil))
	// The recorder knows no deadlines.
	w := resttest.Call(t, resttest.Handler(server, a.Routes()), http.MethodGet, "/v2/executions/"+x.id+"/stream", "")
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Contains(t, w.Body.String(), "no result yet")
}

func FuzzMapping(f *testing.F) {
	schema := resttest.Bodies(f).Of(http.MethodPost, "/v2/evaluators/{slug}/executions")
	e, _ := evaluators.Catalog().Get("char-count")
	f.Add(`{"text":{"source":"hello"}}`)
	f.Add(`{"a":{"source":null},"a":{"source":[1e999,{"b":"\ud800"}]}}`)
	f.Add(`{"\u0000":{"SOURCE":1}}`)
	f.Fuzz(func(t *testing.T, text string) {
		body, err := schema.Check([]byte(`{"input_schema_mapping":` + text + `}`))
		if err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			return
		}
		var want ExecutionRequest
		if err := body.Into(&want); err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err), "%v", err)
			return
		}
		input, err := want.input(e)
		if err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			return
		}
		if _, err := e.FromJSON(t.Context(), input, nil); err != nil {
			require.NotEqual(t, fault.Internal, fault.KindOf(err), "%v", err)
		}
	})
}
