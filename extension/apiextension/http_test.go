// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/extension/extensionauth"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	execute   = "/v2/evaluators/char-count/execute"
	spansPath = "/v2/warehouse/spans"

	evaluatorsPath = "/v2/evaluators"
)

func TestPublicPathsNeedNoCredential(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r := h.call(t, "GET", "/health", "", "")
	require.Equal(t, http.StatusOK, r.status)
	require.JSONEq(t, `{"status":"ok"}`, r.body)
	r = h.call(t, "HEAD", "/health", "", "")
	require.Equal(t, http.StatusOK, r.status)
	require.Empty(t, r.body)
	r = h.call(t, "GET", "/openapi.json", "", "")
	require.Equal(t, http.StatusOK, r.status)
	for _, e := range evaluators.Catalog().All() {
		require.Contains(t, r.body, "/v2/evaluators/"+e.Slug+"/execute")
	}
}

func TestEveryRouteIsDocumented(t *testing.T) {
	t.Parallel()
	text, err := newDocument(evaluators.Catalog())
	require.NoError(t, err)
	var document struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(text, &document))
	routes := map[string]bool{}
	a := &api{}
	require.NoError(t, chi.Walk(a.router().(chi.Router), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		routes[method+" "+route] = true
		if !strings.HasSuffix(route, "/execute") {
			return nil
		}
		for _, e := range evaluators.Catalog().All() {
			routes[method+" "+strings.Replace(route, "{slug}", e.Slug, 1)] = true
		}
		return nil
	}))
	documented := map[string]bool{}
	for path, operations := range document.Paths {
		for method := range operations {
			if method != "parameters" {
				documented[strings.ToUpper(method)+" "+path] = true
			}
		}
	}
	require.Equal(t, routes, documented)
}

func TestEverythingElseNeedsACredential(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, route := range [][2]string{
		{"POST", organizations},
		{"POST", execute},
		{"GET", evaluatorsPath},
		{"POST", evaluatorsPath},
		{"POST", evaluatorsPath + "/custom-evaluator"},
		{"PATCH", evaluatorsPath + "/x"},
		{"GET", evaluatorsPath + "/char-count"},
		{"POST", evaluatorsPath + "/char-count/executions"},
		{"GET", "/v2/executions/x/stream"},
		{"POST", "/v2/guardrails/char-count/execute"},
		{"POST", setups},
		{"GET", setups},
		{"GET", setups + "/x"},
		{"PUT", setups + "/x"},
		{"DELETE", setups + "/x"},
		{"GET", spansPath},
		{"POST", setups + "/bulk"},
		{"POST", setups + "/preview"},
		{"GET", setups + "/x/status"},
		{"POST", setups + "/x/backfill"},
		{"GET", setups + "/x/backfill"},
		{"GET", setups + "/x/backfill/y"},
		{"DELETE", setups + "/x/backfill/y"},
		{"GET", spansPath + "/0/0/evaluations"},
		{"GET", "/v2/metrics"},
		{"POST", "/v2/metrics"},
		{"GET", "/v2/metrics_hwm"},
		{"GET", "/v2/monitoring/status"},
	} {
		for _, credential := range []string{"", "wrong", "tl_" + strings.Repeat("A", 43)} {
			r := h.call(t, route[0], route[1], credential, "")
			require.Equal(t, http.StatusUnauthorized, r.status, route)
			require.JSONEq(t, `{"error":"Unauthorized"}`, r.body)
			require.Equal(t, "Bearer", r.header.Get("WWW-Authenticate"))
		}
	}
}

func TestUnknownPathsAndMethodsAreRefusedInJSON(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, route := range [][2]string{
		{"GET", "/"},
		{"GET", "/v2"},
		{"POST", "/v2/nothing"},
		{"GET", "/v2/auto-monitor-setups/a/b"},
		{"FOO", "/nothing"},
		{"GET", "/%ff"},
		{"PATCH", "/v1/traces"},
	} {
		r := h.call(t, route[0], route[1], "", "")
		require.Equal(t, http.StatusNotFound, r.status, route)
		require.NotEmpty(t, r.message(t))
	}
	for route, allow := range map[[2]string]string{
		{"GET", organizations}:                    "POST",
		{"DELETE", setups}:                        "GET, POST",
		{"PATCH", setups + "/x"}:                  "GET, PUT, DELETE",
		{"POST", setups + "/a%2Fb"}:               "GET, PUT, DELETE",
		{"GET", execute}:                          "POST",
		{"POST", spansPath}:                       "GET",
		{"BREW", "/health"}:                       "GET, HEAD",
		{"GET", "/v2/evaluators/unknown/execute"}: "POST",
	} {
		r := h.call(t, route[0], route[1], "", "")
		require.Equal(t, http.StatusMethodNotAllowed, r.status, route)
		require.Equal(t, allow, r.header.Get("Allow"), route)
		require.NotEmpty(t, r.message(t))
	}
}

// findOnly is a span store of which only Find works.
type findOnly struct {
	store.Spans
	find func(context.Context) error
}

func (f findOnly) Search(ctx context.Context, _ tenant.Environment, _ query.Query) (query.Page, error) {
	return query.Page{}, f.find(ctx)
}

func TestTroubleBelowIsAnsweredAndLoggedWithoutUserText(t *testing.T) {
	t.Parallel()
	const secret = "SESAME"
	for name, trouble := range map[string]struct {
		find    func(context.Context) error
		status  int
		message string
	}{
		"unavailable": {func(context.Context) error {
			return fault.Wrap(fault.Unavailable, errors.New("disk"), "span store is full")
		}, http.StatusServiceUnavailable, "span store is full"},
		"internal": {func(context.Context) error { return errors.New("a detail") }, http.StatusInternalServerError, "internal error"},
		"panic":    {func(context.Context) error { panic(secret) }, http.StatusInternalServerError, "internal error"},
		"bug":      {func(context.Context) error { return []error{}[len(secret)] }, http.StatusInternalServerError, "internal error"},
		"slow": {
			func(ctx context.Context) error { <-ctx.Done(); return fmt.Errorf("find: %w", ctx.Err()) },
			http.StatusServiceUnavailable, "the request took too long",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			core, logs := observer.New(zap.DebugLevel)
			h := newHouse(t, func(p *parts) {
				p.cfg.RequestTimeout = 100 * time.Millisecond
				p.settings.Logger = zap.New(core)
				p.spans = findOnly{find: trouble.find}
			})
			key := h.newKey(t)
			header := http.Header{"Authorization": {"Bearer " + key}, "X-Request-Id": {secret}}
			r := h.send(t, "GET", spansPath+"?from_timestamp_sec=1&k="+secret, header, nil)
			require.Equal(t, trouble.status, r.status)
			require.Equal(t, trouble.message, r.message(t))
			require.Equal(t, trouble.status == http.StatusServiceUnavailable, r.header.Get("Retry-After") != "")
			require.Equal(t, http.StatusOK, h.call(t, "GET", "/health", "", "").status)

			entries := logs.FilterMessage("request was not served").All()
			require.Len(t, entries, 1)
			require.Equal(t, spansPath, entries[0].ContextMap()["route"])
			require.Len(t, entries[0].ContextMap()["request_id"], 36)
			require.NotContains(t, fmt.Sprint(entries), secret)
			require.NotContains(t, fmt.Sprint(logs.All()), key)
		})
	}
}

func TestRequestIDOfTheCallerIsKept(t *testing.T) {
	t.Parallel()
	const id = "0190d3a0-5b7a-7c3e-8d2f-0a1b2c3d4e5f"
	r := &http.Request{Header: http.Header{"X-Request-Id": {id}}}
	require.Equal(t, id, requestID(r))
}

func TestAuthenticatorInTrouble(t *testing.T) {
	t.Parallel()
	logger := zap.NewNop()
	for want, auth := range map[int]extensionauth.ServerAuthenticateFunc{
		http.StatusServiceUnavailable: func(context.Context, map[string][]string) (context.Context, error) {
			return nil, fault.New(fault.Unavailable, "later")
		},
		http.StatusInternalServerError: func(ctx context.Context, _ map[string][]string) (context.Context, error) { return ctx, nil },
	} {
		a := &api{logger: logger, auth: auth, timeout: time.Minute}
		w := httptest.NewRecorder()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, spansPath, nil)
		require.NoError(t, err)
		a.router().ServeHTTP(w, r)
		require.Equal(t, want, w.Code)
	}
}

func TestEveryKindHasItsStatus(t *testing.T) {
	t.Parallel()
	for kind, want := range map[fault.Kind]int{
		fault.Invalid: 400, fault.Unauthorized: 401, fault.Forbidden: 403, fault.NotFound: 404, fault.Conflict: 409,
		fault.TooLarge: 413, fault.NotConfigured: 501, fault.Unavailable: 503, fault.Internal: 500, "": 500,
	} {
		require.Equal(t, want, statusOf(kind))
	}
	_, err := encode(make(chan int))
	require.Error(t, err)
}
