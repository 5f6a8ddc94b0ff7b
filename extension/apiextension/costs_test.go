// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/genai/genaitest"
	"github.com/touchstone-otel/touchstone/internal/genai/prices"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// costing stores spans of two users, one without and one of unknown cost.
func costing(t *testing.T, h *testAPI, key string) {
	t.Helper()
	k, err := h.live.Key(t.Context(), tenant.DigestOf(key))
	require.NoError(t, err)
	var records []store.Record
	for n, row := range []struct {
		user, tier string
		cost, in   int64
	}{
		{"ada", "gold", 1_000_000_000, 400_000_000},
		{"ada", "", 230_000_000, 30_000_000},
		{"bob", "gold", 780_000_001, span.NoTokens},
		{"", "", 100_000_000, 100_000_000},
		{"bob", "", span.NoTokens, span.NoTokens},
	} {
		s := storetest.Span(k.Environment, n)
		s.Start, s.User, s.Cost, s.InputCost = time.Now().UnixNano(), row.user, row.cost, row.in
		if row.tier != "" {
			s.Attributes = storetest.Attributes("traceloop.association.properties.tier", row.tier)
		}
		records = append(records, storetest.Record(k.Environment, s))
	}
	require.NoError(t, storetest.Write(t.Context(), h.spans, records))
}

const costsPath = "/v2/costs/by-association-property?"

// costsQuery are the parameters of a call of the original's documentation, of today.
func costsQuery(pairs ...string) string {
	q := url.Values{
		"start_time": {time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)}, "end_time": {time.Now().Add(time.Hour).UTC().Format(time.RFC3339)},
	}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
		if pairs[i+1] == "" {
			q.Del(pairs[i])
		}
	}
	return costsPath + q.Encode()
}

func TestCostsByAssociationProperty(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	costing(t, h, key)
	for name, row := range map[string]struct {
		query string
		want  string
	}{
		"of users": {
			costsQuery("property_name", "user_id", "env", "prd,stg", "selected_token_types", "input_tokens,output_tokens"),
			`{"property_name":"user_id","values":[{"value":"ada","cost":1.23},{"value":"bob","cost":0.780000001},{"value":"No_Value","cost":0.1}],"total_cost":2.110000001}`,
		},
		"of a name of their own": {
			costsQuery("property_name", "tier"),
			`{"property_name":"tier","values":[{"value":"gold","cost":1.780000001},{"value":"No_Value","cost":0.33}],"total_cost":2.110000001}`,
		},
		"of input": {
			costsQuery("property_name", "userId", "selected_token_types", "prompt_tokens"),
			`{"property_name":"userId","values":[{"value":"ada","cost":0.43},{"value":"No_Value","cost":0.1},{"value":"bob","cost":0}],"total_cost":0.53}`,
		},
		"of output": {
			costsQuery("property_name", "userId", "selected_token_types", "output_tokens"),
			`{"property_name":"userId","values":[{"value":"ada","cost":0.8},{"value":"No_Value","cost":0},{"value":"bob","cost":0}],"total_cost":0.8}`,
		},
		"that no span has": {
			costsQuery("property_name", "team"),
			`{"property_name":"No_Association","values":[{"value":"No_Value","cost":2.110000001}],"total_cost":2.110000001}`,
		},
		"of another time": {
			costsQuery("property_name", "user_id", "start_time", "2025-04-15T00:00:00Z", "end_time", "2025-04-28T23:00:00Z"),
			`{"property_name":"No_Association","values":[],"total_cost":0}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := h.call(t, http.MethodGet, row.query, key, "")
			require.Equal(t, http.StatusOK, r.status, r.body)
			type costs struct {
				Property string `json:"property_name"`
				Values   []struct {
					Value string
					Cost  float64
				}
				Total float64 `json:"total_cost"`
			}
			want, got := into[costs](t, reply{body: row.want}), into[costs](t, r)
			require.Equal(t, want.Property, got.Property)
			require.InDelta(t, want.Total, got.Total, 1e-12)
			require.Len(t, got.Values, len(want.Values))
			for i := range want.Values {
				require.Equal(t, want.Values[i].Value, got.Values[i].Value)
				require.InDelta(t, want.Values[i].Cost, got.Values[i].Cost, 1e-12)
			}
		})
	}
	for query, message := range map[string]string{
		costsQuery(): "property_name is required",
		costsQuery("property_name", "a", "start_time", ""):                       "start_time is required",
		costsQuery("property_name", "a", "end_time", "yesterday"):                "end_time must be a time such as 2025-04-15T00:00:00Z",
		costsQuery("property_name", "a", "end_time", "2025-04-28T23:00:00Z"):     "start_time must not be after end_time",
		costsQuery("property_name", "a", "env", "stg"):                           `env must have "prd", the environment of the API key, or be left out`,
		costsQuery("property_name", "a", "selected_token_types", "total_tokens"): "selected_token_types must be input_tokens, output_tokens or both, with a comma between them",
	} {
		r := h.callUndocumented(t, http.MethodGet, query, key, "")
		require.Equal(t, http.StatusBadRequest, r.status, query)
		require.Equal(t, message, r.message(t))
	}
}

// What a span cost is shown, filtered, sorted by and summed up.
func TestTheCostOfSpansIsAField(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	costing(t, h, key)
	type page struct {
		Spans struct {
			Data []struct {
				Cost *float64
			}
		}
	}
	list := func(parameters string) (costs []float64) {
		r := h.call(t, http.MethodGet, "/v2/warehouse/spans?from_timestamp_sec=1&"+parameters, key, "")
		require.Equal(t, http.StatusOK, r.status, r.body)
		var found page
		require.NoError(t, json.Unmarshal([]byte(r.body), &found))
		for _, x := range found.Spans.Data {
			c := -1.0
			if x.Cost != nil {
				c = *x.Cost
			}
			costs = append(costs, c)
		}
		return costs
	}
	require.Equal(t, []float64{1, 0.780000001, 0.23, 0.1, -1}, list("sort_by=cost&sort_order=DESC"))
	filters := func(text string) string { return "sort_by=cost&filters=" + url.QueryEscape(text) }
	require.Equal(t, []float64{0.780000001, 1}, list(filters(`[{"id":"cost","operator":"greater_than","value":0.5}]`)))
	require.Equal(t, []float64{0.23}, list(filters(`[{"id":"cost","operator":"equals","value":0.23}]`)))
	require.Equal(t, []float64{-1}, list(filters(`[{"id":"cost","operator":"not_exists"}]`)))
	require.Equal(t, []float64{0.23, 1}, list(filters(`[{"id":"user_id","operator":"equals","value":"ada"}]`)))
	r := h.call(t, http.MethodPost, "/v2/warehouse/spans/aggregate", key, `{"from_timestamp_sec":1,"measures":["cost","input_cost"],"group_by":["user_id"]}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	require.Contains(t, r.body, `"cost":2.110000001`)
	require.Contains(t, r.body, `"input_cost":0.53`)
}

// An agent's span of Vercel's SDK has the tokens of the calls within it, which are three.
func TestCostsOfAgentsAreThoseOfTheirCalls(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	k, err := h.live.Key(t.Context(), tenant.DigestOf(key))
	require.NoError(t, err)
	table := prices.New(map[string]prices.Price{"gpt-4o-mini": {Input: 1000, Output: 1000, CacheRead: -1, CacheWrite: -1}}, nil)
	var records []store.Record
	take := func(s span.Span) {
		table.Fill(&s)
		records = append(records, storetest.Record(k.Environment, s))
	}
	for _, r := range genaitest.Recordings(t) {
		if r.File != "vercel-ai-7.0.173-generateText-1.json" && r.File != "vercel-ai-7.0.173-generateText-tools-1.json" {
			continue
		}
		moved, err := r.At(time.Now())
		require.NoError(t, err)
		sent, err := moved.Traces()
		require.NoError(t, err)
		for _, rs := range sent.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					take(genai.FromOTLP(genai.NewResource(rs.Resource()), ss.Scope(), s))
				}
			}
		}
	}
	require.Len(t, records, 9)
	for n, kind := range []string{span.KindClient, "SPAN_KIND_INTERNAL"} {
		s := storetest.Span(k.Environment, 100+n)
		s.Start, s.Type, s.Kind, s.RequestModel, s.ResponseModel = time.Now().UnixNano(), span.TypeAgent, kind, "gpt-4o-mini", ""
		s.InputTokens, s.OutputTokens, s.TotalTokens, s.Cost = 1, 0, 1, span.NoTokens
		if kind != span.KindClient {
			s.Cost = 5_000_000_000 // as it says itself
		}
		take(s)
	}
	require.NoError(t, storetest.Write(t.Context(), h.spans, records))

	r := h.call(t, http.MethodGet, costsQuery("property_name", "user_id"), key, "")
	require.Equal(t, http.StatusOK, r.status, r.body)
	var of struct {
		Total float64 `json:"total_cost"`
	}
	require.NoError(t, json.Unmarshal([]byte(r.body), &of))
	require.InDelta(t, 0.106, of.Total, 1e-9)
	r = h.call(t, http.MethodPost, "/v2/warehouse/spans/aggregate", key, `{"from_timestamp_sec":1,"measures":["count","cost","input_cost","input_tokens","output_tokens","total_tokens"]}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	var sums struct{ Total map[string]float64 }
	require.NoError(t, json.Unmarshal([]byte(r.body), &sums))
	total := sums.Total
	require.InDelta(t, 0.106, total["cost"], 1e-9)
	require.InDelta(t, 0.07, total["input_cost"], 1e-9)
	delete(total, "cost")
	delete(total, "input_cost")
	require.Equal(t, map[string]float64{"count": 11, "input_tokens": 3*23 + 1, "output_tokens": 3 * 12, "total_tokens": 3*35 + 1}, total)
}

// Spans have properties under the names that SDKs give them; deletion finds these too.
func TestCostsOfPropertiesUnderEveryName(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	k, err := h.live.Key(t.Context(), tenant.DigestOf(key))
	require.NoError(t, err)
	var records []store.Record
	for n, attributes := range []map[string]any{
		{"traceloop.association.properties.userId": "ada", "traceloop.association.properties.sessionId": "s1", "traceloop.association.properties.chatId": "c1"},
		{"traceloop.association.properties.user_id": "ada", "traceloop.association.properties.tenant": ""},
		{"platform.association.properties.userId": "bob", "langfuse.trace.metadata.tenant": "blue"},
		{"ai.telemetry.metadata.userId": "ada", "ai.telemetry.metadata.tenant": "blue"},
		{"enduser.id": "eve"},
	} {
		attributes["llm.cost.total"] = 1.0
		from, s := genaitest.FromAttributes(t, attributes), storetest.Span(k.Environment, n)
		s.Start, s.Attributes, s.Cost, s.InputCost, s.User, s.Session, s.Conversation = time.Now().UnixNano(), from.Attributes, from.Cost, span.NoTokens, from.User, from.Session, from.Conversation
		records = append(records, storetest.Record(k.Environment, s))
	}
	require.NoError(t, storetest.Write(t.Context(), h.spans, records))
	for property, want := range map[string]string{
		"userId":    `[{"value":"ada","cost":3},{"value":"bob","cost":1},{"value":"eve","cost":1}]`,
		"user_id":   `[{"value":"ada","cost":3},{"value":"No_Value","cost":1},{"value":"eve","cost":1}]`,
		"sessionId": `[{"value":"No_Value","cost":4},{"value":"s1","cost":1}]`,
		"threadId":  `[{"value":"No_Value","cost":4},{"value":"c1","cost":1}]`,
		"tenant":    `[{"value":"No_Value","cost":2},{"value":"blue","cost":2},{"value":"Unknown_Value","cost":1}]`,
	} {
		r := h.call(t, http.MethodGet, costsQuery("property_name", property), key, "")
		require.Equal(t, http.StatusOK, r.status, r.body)
		require.JSONEq(t, `{"property_name":"`+property+`","values":`+want+`,"total_cost":5}`, r.body)
	}
}

func TestCostsOfMoreValuesThanAreAnswered(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	k, err := h.live.Key(t.Context(), tenant.DigestOf(key))
	require.NoError(t, err)
	records := make([]store.Record, 10_010)
	for n := range records {
		s := storetest.Span(k.Environment, n)
		s.Start, s.User, s.Cost = time.Now().UnixNano(), strconv.Itoa(n), int64(n+1)*1e9
		records[n] = storetest.Record(k.Environment, s)
	}
	require.NoError(t, storetest.Write(t.Context(), h.spans, records))
	r := h.call(t, http.MethodGet, costsQuery("property_name", "user_id"), key, "")
	require.Equal(t, http.StatusOK, r.status)
	var got struct {
		Values []struct {
			Value string
			Cost  float64
		}
		Total float64 `json:"total_cost"`
	}
	require.NoError(t, json.Unmarshal([]byte(r.body), &got))
	require.Len(t, got.Values, 10_001)
	require.Equal(t, "10009", got.Values[0].Value)
	require.Equal(t, "Other_Values", got.Values[10_000].Value)
	require.InDelta(t, 55, got.Values[10_000].Cost, 1e-9)
	require.InDelta(t, 10_010*10_011/2, got.Total, 1e-3)
}
