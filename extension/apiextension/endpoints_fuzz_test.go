// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators"
)

// callsOf are the operations of the document that a key of an environment may call and
// that answer at once, by method and path.
func callsOf(t testing.TB) []string {
	t.Helper()
	var document struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	text, err := newDocument(routesOf(t), evaluators.Catalog())
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &document))
	var calls []string
	for _, path := range slices.Sorted(maps.Keys(document.Paths)) {
		if strings.HasPrefix(path, "/v2/organizations") || strings.HasSuffix(path, "/tail") || strings.HasSuffix(path, "/stream") {
			continue
		}
		for _, method := range slices.Sorted(maps.Keys(document.Paths[path])) {
			switch method = strings.ToUpper(method); method {
			case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
				calls = append(calls, method+" "+path)
			}
		}
	}
	return calls
}

var placeholder = regexp.MustCompile(`\{[^}]*\}`)

// FuzzEndpoints sends whatever path, parameters and body to every operation, over real
// stores. The answer is one that the document has, in time, and never that something
// broke here; the reason of a refusal is a sentence of bounded length.
func FuzzEndpoints(f *testing.F) {
	calls := callsOf(f)
	require.Greater(f, len(calls), 60)
	at := func(call string) uint8 {
		i := slices.Index(calls, call)
		require.GreaterOrEqual(f, i, 0, call)
		return uint8(i)
	}
	const (
		trace  = "01000000000000000000000000000000"
		id     = "0200000000000000"
		period = "from_timestamp_sec=0&to_timestamp_sec=99999999999&"
	)
	for _, seed := range []struct{ call, name, other, query, body string }{
		{"POST /v2/warehouse/spans/{trace_id}/{span_id}/labels", trace, id, "", `{"name":"correct","value":1e308,"author":"ann","comment":"\u0000"}`},
		{"POST /v2/warehouse/spans/{trace_id}/{span_id}/labels", strings.Repeat("0", 32), strings.Repeat("0", 16), "", `{"name":"correct","value":"","author":"ann"}`},
		{"POST /v2/annotation-tasks/{task}/annotations", "support", "", "", `{"entity_instance_id":7,"tags":{"score":1,"why":["a",""],"n":null},"flow":"x","actor":{"type":"t","id":"i"}}`},
		{"POST /v1/traceloop/score", "", "", "", `{"score":-1e999,"entity_name":"user_id","entity_id":true}`},
		{"DELETE /api/config/privacy/data-deletion", "", "", "", `{"associationProperties":[{"user_id":"u","":1},{}]}`},
		{"GET /api/config/privacy/data-deletion", "", "", "requestId=%00", ""},
		{"POST /api/config/pii/tracing-allow-list", "", "", "", `{"associationPropertyAllowList":[{"user_id":1.50}]}`},
		{"DELETE /api/config/pii/tracing-allow-list", "", "", "", `{"associationProperty":{"user_id":null}}`},
		{"GET /v2/labels/draw", "", "", period + "metric=human:correct.value&metric_min=1&share=1e-300&seed=%ff&without=x&limit=500", ""},
		{"GET /v2/agreement", "", "", period + "a=human:correct.value&a_true=yes&b=sdk:x.score&b_min=0x1p-2&group_by=a,b&limit=1", ""},
		{"GET /v2/costs/by-association-property", "", "", "property_name=user_id&start_time=1700-01-01T00:00:00%2B23:59&end_time=2200-12-31T23:59:60Z&selected_token_types=,", ""},
		{"GET /v2/warehouse/spans", "", "", period + `filters=[{"id":"duration","operator":"in","value":["1e308"]}]&sort_by=evaluation.a.b&limit=1&cursor=AA`, ""},
		{"GET /v2/warehouse/fields", "", "", period + "prefix=%00", ""},
		{"GET /v2/warehouse/fields", "", "", period + "prefix=a b", ""},
		{"GET /v2/metrics", "", "", period + "metric_name=a.b&limit=1&environments=*", ""},
		{"GET /v2/warehouse/spans/{trace_id}/{span_id}", trace, id, "max_text=-1", ""},
		{"GET /v2/warehouse/spans/{trace_id}/{span_id}/text", trace, id, "field=span_attributes.%00", ""},
		{"GET /v2/warehouse/spans/{trace_id}/{span_id}/explain", trace, id, "setup=..", ""},
		{"GET /v2/traces/{trace_id}", trace, "", "from_timestamp_sec=-99999999999999999999", ""},
		{"POST /v2/warehouse/spans/search", "", "", "", `{"from_timestamp_sec":"0","filters":[{"id":"trace_id","operator":"starts_with","value":"%"}],"limit":1e2}`},
		{"POST /v2/warehouse/spans/aggregate", "", "", "", `{"from_timestamp_sec":0,"figures":[{"measure":"quantile","of":"duration","quantile":1}],"group_by":["service_name"]}`},
		{"POST /v2/metrics/aggregate", "", "", "", `{"from_timestamp_sec":0,"metric_name":"human:correct.value","step_sec":1}`},
		{"POST /v2/auto-monitor-setups", "", "", "", `{"external_id":"a","evaluators":["char-count",{"evaluator_type":"regex-validator","config":{"regex":"("}}],"selector":{"a":1}}`},
		{"PUT /v2/auto-monitor-setups/{name}", "a", "", "", `{"evaluators":["word-count"],"paused":true}`},
		{"GET /v2/auto-monitor-setups/{name}/funnel", "a", "", period, ""},
		{"POST /v2/auto-monitor-setups/preview", "", "", "", `{"from_timestamp_sec":0,"evaluators":["char-count"],"limit":10}`},
		{"POST /v2/evaluators", "", "", "", `{"name":"Mine","provider":"default","model":"m","messages":[{"role":"system","content":"{{text}}"}],"input_schema":[{"name":"text","type":"string"}],"output_schema":[{"name":"good","type":"boolean"}]}`},
		{"POST /v2/evaluators/{slug}/execute", "char-count", "", "", `{"input":{"text":"\ud800"},"config":null}`},
		{"POST /v2/evaluators/{slug}/execute-span", "char-count", "", "", `{"trace_id":"` + trace + `","span_id":"` + id + `"}`},
		{"POST /v2/projects/{project}/traces/root-spans", "default", "", "", `{"start_time":"2026-01-01T00:00:00Z","end_time":"x","limit":-1}`},
		{"POST /v2/projects/{project}/spans", "default", "", "", `{"start_time":0,"filters":[{"field":"a","operator":"eq","value":{}}]}`},
		{"GET /v2/projects/{project}/spans/workflow-names", "default", "", "start_time=0&end_time=1e400", ""},
	} {
		f.Add(at(seed.call), seed.name, seed.other, seed.query, seed.body)
	}

	l := newLibrary(f)
	l.writeRich(f)
	header := http.Header{"Authorization": {"Bearer " + l.key}, "Content-Type": {"application/json"}, undocumented: {"yes"}}
	f.Fuzz(func(t *testing.T, call uint8, name, other, query, body string) {
		l.http.Transport.(*inspector).t = t
		method, path, _ := strings.Cut(calls[int(call)%len(calls)], " ")
		for _, value := range []string{name, other, name} {
			if at := placeholder.FindStringIndex(path); at != nil {
				path = path[:at[0]] + url.PathEscape(value) + path[at[1]:]
			}
		}
		target, err := url.ParseRequestURI(path)
		if err != nil || strings.Contains(path, "//") || slices.Contains(strings.Split(path, "/"), "..") || slices.Contains(strings.Split(path, "/"), ".") {
			return // another path
		}
		// A space ends the target in the line of a request, and lines of more than a
		// megabyte are refused by the server before any operation sees them.
		target.RawQuery = strings.ReplaceAll(query, " ", "%20")
		if _, err := url.ParseRequestURI(target.RequestURI()); err != nil || len(target.RequestURI()) > 1<<16 {
			return // no URL
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		r, err := l.try(ctx, method, target.RequestURI(), header.Clone(), []byte(body))
		require.NoError(t, err, "%s %s", method, target)
		if r.status >= 400 {
			require.Contains(t, []int{400, 401, 403, 404, 405, 409, 413, 415, 429, 501}, r.status, "%s %s %s: %s", method, target, body, r.body)
			require.Less(t, len(r.message(t)), 6000)
		}
	})
}
