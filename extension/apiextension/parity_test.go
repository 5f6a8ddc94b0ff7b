// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// SDKs of OpenLLMetry ask for both when they start, which fails with any other answer
// than 200, and every five seconds from then on, with the key that they send spans with.
func TestSyncingSDKsGetAnswers(t *testing.T) {
	t.Parallel()
	const allowList = "/v1/traceloop/pii/tracing-allow-list"
	h := newTestAPI(t)
	org, keys := h.newOrganization(t, "prd")
	require.Equal(t, http.StatusOK, h.call(t, http.MethodPost, "/api/config/pii/tracing-allow-list", keys[0], `{"associationPropertyAllowList":[{"userId":"123"}]}`).status)
	for _, scope := range []tenant.Scope{tenant.Full, tenant.Ingest, tenant.Read, tenant.Sidecar} {
		key := into[keyAnswer](t, h.operator(t, "POST", org+"/environments/prd/keys", `{"name":"k","scope":"`+string(scope)+`"}`, http.StatusCreated)).APIKey
		r := h.call(t, http.MethodGet, "/v1/traceloop/prompts", key, "")
		require.Equal(t, http.StatusOK, r.status, scope)
		require.JSONEq(t, `{"prompts":[],"environment":"prd"}`, r.body)
		r = h.call(t, http.MethodGet, allowList, key, "")
		require.Equal(t, http.StatusOK, r.status, scope)
		require.JSONEq(t, `{"associationPropertyAllowList":[{"userId":"123"}]}`, r.body)
	}
	require.JSONEq(t, `{"associationPropertyAllowList":[]}`, h.call(t, http.MethodGet, allowList, h.newKey(t), "").body, "of another environment")
	require.Equal(t, http.StatusUnauthorized, h.call(t, http.MethodGet, allowList, "", "").status)
	require.Equal(t, http.StatusUnauthorized, h.call(t, http.MethodGet, "/v1/traceloop/prompts", "", "").status)
}

func TestAllowListsAreKept(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key, other := h.newKey(t), h.newKey(t)
	const path = "/api/config/pii/tracing-allow-list"
	add := func(body string) reply { return h.call(t, http.MethodPost, path, key, body) }
	require.Equal(t, http.StatusOK, add(`{"associationPropertyAllowList":[{"userId":"123"}]}`).status)
	r := add(`{"associationPropertyAllowList":[{"userId":"123"},{"userId":456,"chatId":"abc"}]}`)
	require.JSONEq(t, `{"associationPropertyAllowList":[{"userId":"123"},{"userId":"456","chatId":"abc"}]}`, r.body)
	for _, at := range []string{path, "/v1/traceloop/pii/tracing-allow-list"} {
		require.JSONEq(t, r.body, h.call(t, http.MethodGet, at, key, "").body)
		require.JSONEq(t, `{"associationPropertyAllowList":[]}`, h.call(t, http.MethodGet, at, other, "").body)
	}
	for range 2 {
		r = h.call(t, http.MethodDelete, path, key, `{"associationProperty":{"userId":"123"}}`)
		require.JSONEq(t, `{"associationPropertyAllowList":[{"userId":"456","chatId":"abc"}]}`, r.body)
	}
	var many []map[string]string
	for i := range 1000 {
		many = append(many, map[string]string{"userId": strconv.Itoa(i)})
	}
	body, err := json.Marshal(map[string]any{"associationPropertyAllowList": many})
	require.NoError(t, err)
	require.Equal(t, http.StatusConflict, add(string(body)).status)
	for _, body := range []string{`{}`, `{"associationPropertyAllowList":{}}`, `{"associationPropertyAllowList":[{"a":null}]}`} {
		require.Equal(t, http.StatusBadRequest, add(body).status, body)
	}
	later := make([]<-chan reply, 8)
	for i := range later { // at once: none is lost
		later[i] = h.later(t, http.MethodPost, path, other, `{"associationPropertyAllowList":[{"n":"`+strconv.Itoa(i)+`"}]}`)
	}
	for _, l := range later {
		r := <-l
		require.Equal(t, http.StatusOK, r.status, r.body)
	}
	require.Equal(t, 8, strings.Count(h.call(t, http.MethodGet, path, other, "").body, `"n"`))
}

// The calls are those of the SDKs' uploader of images.
func TestImagesHaveAnAddressAndAreRefused(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	org, _ := h.newOrganization(t, "prd")
	key := into[keyAnswer](t, h.operator(t, "POST", org+"/environments/prd/keys", `{"name":"of an SDK","scope":"ingest"}`, http.StatusCreated)).APIKey
	const of = "/v2/traces/5b8efff798038103d269b633813fc60c/spans/eee19b7ec3c1b174/images"
	r := h.call(t, http.MethodPost, of, key, `{"image_name":"cat 1.png"}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	at := into[map[string]string](t, r)["url"]
	require.Equal(t, h.url+of+"/cat%201.png", at)
	r = h.call(t, http.MethodPost, strings.TrimPrefix(at, h.url), key, `{"image_data":"iVBORw0KGgo="}`)
	require.Equal(t, http.StatusRequestEntityTooLarge, r.status)
	require.Contains(t, r.message(t), "images are not kept")
	for _, name := range []string{".", ".."} {
		r = h.call(t, http.MethodPost, of, key, `{"image_name":"`+name+`"}`)
		require.Equal(t, http.StatusBadRequest, r.status, r.body)
		require.Contains(t, r.message(t), "image_name")
	}
	r = h.call(t, http.MethodPost, of, key, `{"image_name":"../a/b.png"}`)
	require.True(t, strings.HasPrefix(into[map[string]string](t, r)["url"], h.url+of+"/"), r.body)
	require.Equal(t, http.StatusBadRequest, h.call(t, http.MethodPost, strings.Replace(of, "5b8e", "zzzz", 1), key, `{}`).status)
}

// Only a proxy that is trusted says by which address the API was called.
func TestForwardedAddressesCountFromProxiesAlone(t *testing.T) {
	t.Parallel()
	for host, trusted := range map[string][]string{"api.example": {"127.0.0.1"}, "": {"10.0.0.0/8"}} {
		h := newTestAPI(t, func(p *parts) { p.cfg.TrustedProxies = trusted })
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/v2/traces/5b8efff798038103d269b633813fc60c/spans/eee19b7ec3c1b174/images", strings.NewReader(`{}`))
		require.NoError(t, err)
		r.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + h.newKey(t)}, "X-Forwarded-Host": {"api.example"}, "X-Forwarded-Proto": {"https"}}
		answer, err := h.http.Do(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		var got map[string]string
		require.NoError(t, json.NewDecoder(answer.Body).Decode(&got))
		want := "https://" + host + "/v2/"
		if host == "" {
			want = h.url + "/v2/"
		}
		require.True(t, strings.HasPrefix(got["url"], want), got["url"])
	}
}

// mcpServer stores a trace of three spans and another's root.
func mcpServer(t *testing.T, h *testAPI, key string) {
	t.Helper()
	k, err := h.live.Key(t.Context(), tenant.DigestOf(key))
	require.NoError(t, err)
	now := time.Now().UnixNano()
	var records []store.Record
	for n, row := range []struct {
		trace    byte
		parent   bool
		name     string
		workflow string
		pairs    []string
	}{
		{1, false, "chat", "checkout", []string{"gen_ai.system", "openai", "gen_ai.request.temperature", "0.5", "gen_ai.response.finish_reasons", `["stop","tool_calls"]`, "z", `"span_attributes":{`}},
		{1, true, "openai.chat", "checkout", []string{"gen_ai.request.top_p", "0.9", "gen_ai.request.is_streaming", "true", "gen_ai.request.penalty", "1", "llm.response.finish_reasons", `stop"`}},
		{1, true, "tool", "", nil},
		{2, false, "search", "lookup", []string{"llm.request.top_k", "3"}},
	} {
		s := storetest.Span(k.Environment, n)
		s.TraceID, s.ParentSpanID = span.TraceID{row.trace}, span.ID{}
		if row.parent {
			s.ParentSpanID = span.ID{9}
		}
		s.Start, s.Name, s.Workflow, s.Vendor, s.Attributes = now+int64(n)*1e6, row.name, row.workflow, "", storetest.Attributes(row.pairs...)
		if n == 0 {
			s.Vendor, s.InputTokens, s.StatusCode, s.Service = "openai", 12, span.StatusError, "shop"
			s.Events = []span.Event{{Name: "logprobs", Time: now, Attributes: storetest.Attributes("k", "v")}}
		}
		records = append(records, storetest.Record(k.Environment, s))
	}
	require.NoError(t, storetest.Write(t.Context(), h.spans, records))
}

type eventedPage struct {
	Data []struct {
		Name   string `json:"span_name"`
		Events []struct {
			Name       string            `json:"name"`
			Timestamp  int64             `json:"timestamp"`
			Attributes map[string]string `json:"attributes"`
		} `json:"events"`
	} `json:"data"`
	Total int64  `json:"total_results"`
	Next  string `json:"next_cursor"`
}

func (p *eventedPage) names() (names []string) {
	for i := range p.Data {
		names = append(names, p.Data[i].Name)
	}
	return names
}

// A trace of large spans is no answer of any size.
func TestATraceOfLargeSpansIsBounded(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	k, err := h.live.Key(t.Context(), tenant.DigestOf(key))
	require.NoError(t, err)
	const sent = 40
	for i := range sent {
		s := storetest.Span(k.Environment, i)
		s.TraceID, s.Start, s.Output = span.TraceID{7}, time.Now().UnixNano(), strings.Repeat("x", 1<<20)
		require.NoError(t, storetest.Write(t.Context(), h.spans, []store.Record{storetest.Record(k.Environment, s)}))
	}
	r := h.call(t, http.MethodGet, "/v2/projects/default/traces/"+span.TraceID{7}.String()+"/spans", key, "")
	require.Equal(t, http.StatusOK, r.status)
	require.Less(t, len(r.body), 18<<20)
	var all struct {
		Spans     []map[string]any `json:"spans"`
		Truncated bool             `json:"truncated"`
	}
	require.NoError(t, json.Unmarshal([]byte(r.body), &all))
	require.Less(t, len(all.Spans), sent)
	require.NotEmpty(t, all.Spans)
	require.True(t, all.Truncated)
}

// The calls are those of the original's MCP server.
func TestTheMCPServerOfOthersReads(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	mcpServer(t, h, key)
	roots := func(body string) eventedPage {
		r := h.call(t, http.MethodPost, "/v2/projects/default/traces/root-spans", key, body)
		require.Equal(t, http.StatusOK, r.status, r.body)
		var page struct {
			Roots eventedPage `json:"root_spans"`
		}
		require.NoError(t, json.Unmarshal([]byte(r.body), &page))
		return page.Roots
	}
	page := roots(`{"filters":[{"field":"llm.vendor","operator":"equals","value":"openai","value_type":"string"}],"logical_operator":"and","environments":["prd"],
		"sort_by":"timestamp","sort_order":"DESC","cursor":0,"limit":100,"from_timestamp_sec":1,"to_timestamp_sec":` + strconv.FormatInt(time.Now().Unix()+60, 10) + `}`)
	require.Equal(t, []string{"chat"}, page.names())
	require.Equal(t, "logprobs", page.Data[0].Events[0].Name)
	require.Equal(t, map[string]string{"k": "v"}, page.Data[0].Events[0].Attributes)
	require.InDelta(t, time.Now().UnixMilli(), page.Data[0].Events[0].Timestamp, 60_000)
	require.Equal(t, []string{"search", "chat"}, func() []string { p := roots(`{}`); return p.names() }())

	first := roots(`{"limit":1,"sort_order":"ASC","environments":["production"]}`)
	require.Equal(t, []string{"chat"}, first.names())
	require.EqualValues(t, 2, first.Total)
	second := roots(`{"limit":1,"sort_order":"ASC","cursor":"` + first.Next + `"}`)
	require.Equal(t, []string{"search"}, second.names())
	require.Empty(t, second.Next)

	search := func(filters string) []string {
		r := h.call(t, http.MethodPost, "/v2/projects/default/spans", key, `{"sort_order":"asc",`+filters+`}`)
		require.Equal(t, http.StatusOK, r.status, r.body)
		var page struct {
			Spans eventedPage `json:"spans"`
		}
		require.NoError(t, json.Unmarshal([]byte(r.body), &page))
		return page.Spans.names()
	}
	require.Equal(t, []string{"chat", "openai.chat", "tool", "search"}, search(`"filters":[]`))
	require.Equal(t, []string{"chat"}, search(`"filters":[{"field":"llm.request.temperature","operator":"greater_than","value":"0.4","value_type":"number"}]`), "gen_ai.* is sent as llm.*")
	require.Equal(t, []string{"search"}, search(`"filters":[{"field":"llm.request.top_k","operator":"equals","value":"3","value_type":"number"}]`))
	require.Equal(t, []string{"chat", "tool", "search"}, search(`"filters":[{"field":"llm.request.top_p","operator":"not_exists"}]`))
	require.Equal(t, []string{"chat"}, search(`"filters":[{"field":"llm.usage.prompt_tokens","operator":"greater_than_or_equal","value":"12","value_type":"number"}]`))
	require.Equal(t, []string{"chat"}, search(`"filters":[{"field":"span_attributes.gen_ai.system","operator":"contains","value":"open"}]`))
	require.Equal(t, []string{"tool", "search"}, search(`"logical_operator":"or","filters":[{"field":"span_name","operator":"equals","value":"tool"},{"field":"traceloop.workflow.name","operator":"in","values":["lookup"]}]`))

	require.Equal(t, []string{"openai.chat"}, search(`"filters":[{"field":"llm.request.is_streaming","operator":"equals","value":"True","value_type":"boolean"}]`))
	require.Equal(t, []string{"openai.chat"}, search(`"filters":[{"field":"llm.request.penalty","operator":"equals","value":"1.0","value_type":"number"}]`))
	require.Equal(t, []string{"chat", "tool", "search"}, search(`"filters":[{"field":"llm.request.penalty","operator":"not_in","values":["1.0","0.50"],"value_type":"number"}]`))
	require.Equal(t, []string{"chat"}, search(`"filters":[{"field":"status_code","operator":"equals","value":"ERROR"}]`))
	require.Equal(t, []string{"openai.chat", "tool", "search"}, search(`"filters":[{"field":"status_code","operator":"not_equals","value":"error"}]`))

	services := func(body string) reply {
		return h.call(t, http.MethodPost, "/v2/projects/default/spans/attributes/values", key, body)
	}
	r := services(`{"attribute_name":"service_name","from_timestamp_sec":1,"to_timestamp_sec":` + strconv.FormatInt(time.Now().Unix()+60, 10) + `}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	require.JSONEq(t, `{"values":["shop"]}`, r.body)
	require.JSONEq(t, `{"values":["0.5"]}`, services(`{"attribute_name":"gen_ai.request.temperature"}`).body)
	for _, body := range []string{`{}`, `{"attribute_name":"duration"}`, `{"attribute_name":"span_attributes"}`} {
		require.Equal(t, http.StatusBadRequest, h.callUndocumented(t, http.MethodPost, "/v2/projects/default/spans/attributes/values", key, body).status, body)
	}

	trace := span.TraceID{1}
	r = h.call(t, http.MethodGet, "/v2/projects/default/traces/"+trace.String()+"/spans", key, "")
	require.Equal(t, http.StatusOK, r.status, r.body)
	var all struct {
		Spans     []map[string]any `json:"spans"`
		Truncated bool             `json:"truncated"`
	}
	require.NoError(t, json.Unmarshal([]byte(r.body), &all))
	require.Len(t, all.Spans, 3)
	require.False(t, all.Truncated)
	require.Equal(t, "chat", all.Spans[0]["span_name"])
	require.Equal(t, []any{}, all.Spans[1]["events"])
	require.Equal(t, []any{"stop", "tool_calls"}, all.Spans[0]["span_attributes"].(map[string]any)["gen_ai.response.finish_reasons"])
	require.Equal(t, []any{`stop"`}, all.Spans[1]["span_attributes"].(map[string]any)["llm.response.finish_reasons"])
	require.JSONEq(t, `{"spans":null,"truncated":false}`, h.call(t, http.MethodGet, "/v2/projects/default/traces/no-trace/spans", key, "").body)

	period := url.Values{"start_time": {"1"}, "end_time": {strconv.FormatInt(time.Now().UnixMilli()+60_000, 10)}}
	r = h.call(t, http.MethodGet, "/v2/projects/default/spans/workflow-names?"+period.Encode(), key, "")
	require.JSONEq(t, `["checkout","lookup"]`, r.body)

	other := h.newKey(t)
	require.Equal(t, http.StatusNotFound, h.call(t, http.MethodGet, "/v2/projects/default/traces/"+trace.String()+"/spans", other, "").status)
	require.JSONEq(t, `[]`, h.call(t, http.MethodGet, "/v2/projects/default/spans/workflow-names", other, "").body)
	require.Equal(t, http.StatusNotFound, h.call(t, http.MethodPost, "/v2/projects/theirs/spans", key, `{}`).status)
	for body, message := range map[string]string{
		`{"filters":[{"field":"","operator":"equals","value":"x"}]}`:        "filters[0].field must have 1 to 4096 bytes",
		`{"filters":[{"field":"a","operator":"like","value":"x"}]}`:         `filters[0].operator "like" is not known`,
		`{"filters":[{"field":"a","operator":"greater_than","value":"x"}]}`: "filters[0].value must be a finite number",
		`{"sort_by":"colour"}`: `sort_by "colour" is not known`,
	} {
		r := h.callUndocumented(t, http.MethodPost, "/v2/projects/default/spans", key, body)
		require.Equal(t, http.StatusBadRequest, r.status, body)
		require.Equal(t, message, r.message(t))
	}
	require.Equal(t, http.StatusBadRequest, h.callUndocumented(t, http.MethodPost, "/v2/projects/default/spans", key, `{"cursor":"x"}`).status)
}
