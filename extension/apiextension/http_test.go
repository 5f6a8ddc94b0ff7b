// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
	h := newTestAPI(t)
	r := h.call(t, "GET", "/health", "", "")
	require.Equal(t, http.StatusOK, r.status)
	require.JSONEq(t, `{"status":"ok"}`, r.body)
	require.Equal(t, "no-store", r.header.Get("Cache-Control"))
	require.Equal(t, "nosniff", r.header.Get("X-Content-Type-Options"))
	r = h.call(t, "HEAD", "/health", "", "")
	require.Equal(t, http.StatusOK, r.status)
	require.Empty(t, r.body)
	r = h.call(t, "GET", "/openapi.json", "", "")
	require.Equal(t, http.StatusOK, r.status)
	for _, e := range evaluators.Catalog().All() {
		require.Contains(t, r.body, "/v2/evaluators/"+e.Slug+"/execute")
	}
}

// operation is one of the OpenAPI document.
type operation struct {
	Security []map[string][]string `json:"security"`
}

// documented returns the operations of the document by method and path.
func documented(t *testing.T) map[string]operation {
	t.Helper()
	text, err := newDocument(routesOf(t), evaluators.Catalog())
	require.NoError(t, err)
	var document struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(text, &document))
	all := map[string]operation{}
	for path, operations := range document.Paths {
		for method, text := range operations {
			if method == "parameters" {
				continue
			}
			var o operation
			require.NoError(t, json.Unmarshal(text, &o))
			all[strings.ToUpper(method)+" "+path] = o
		}
	}
	return all
}

func TestEveryRouteIsDocumented(t *testing.T) {
	t.Parallel()
	routes := map[string]operation{}
	for _, route := range routesOf(t) {
		o := operation{Security: []map[string][]string{}}
		for _, scheme := range route.Credentials {
			o.Security = append(o.Security, map[string][]string{scheme: {}})
		}
		routes[route.Method+" "+route.Path] = o
		if !strings.HasSuffix(route.Path, "/execute") {
			continue
		}
		for _, e := range evaluators.Catalog().All() {
			routes[route.Method+" "+strings.Replace(route.Path, "{slug}", e.Slug, 1)] = o
		}
	}
	require.Equal(t, routes, documented(t))
}

func TestEverythingElseNeedsACredential(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	fill := strings.NewReplacer("{slug}", "char-count", "{name}", "x", "{id}", "y", "{trace_id}", "0", "{span_id}", "0", "{key_id}", "z")
	for _, route := range routesOf(t) {
		if len(route.Credentials) == 0 {
			continue
		}
		for _, credential := range []string{"", "wrong", "tl_" + strings.Repeat("A", 43)} {
			r := h.call(t, route.Method, fill.Replace(route.Path), credential, "")
			require.Equal(t, http.StatusUnauthorized, r.status, route)
			require.JSONEq(t, `{"error":"Unauthorized"}`, r.body)
			require.Equal(t, "Bearer", r.header.Get("WWW-Authenticate"))
		}
	}
}

func TestUnknownPathsAndMethodsAreRefusedInJSON(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
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
		{"PUT", organizationsPath}:                "GET, POST",
		{"DELETE", setupsPath}:                    "GET, POST",
		{"PATCH", setupsPath + "/x"}:              "GET, PUT, DELETE",
		{"POST", setupsPath + "/a%2Fb"}:           "GET, PUT, DELETE",
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
	store.Engine
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
			h := newTestAPI(t, func(p *parts) {
				if name == "slow" {
					p.cfg.RequestTimeout = 2 * time.Second // which others than this one are to keep to
				}
				p.settings.Logger = zap.New(core)
				p.spans = findOnly{find: trouble.find}
			})
			_, key := newEnvironmentAndKey(t, h.live)
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
			require.Equal(t, entries[0].ContextMap()["request_id"], r.header.Get("X-Request-Id"))
			require.NotContains(t, fmt.Sprint(entries), secret)
			require.NotContains(t, fmt.Sprint(logs.All()), key)
		})
	}
}
