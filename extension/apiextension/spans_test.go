// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// shownPage is a page as a client reads it.
type shownPage struct {
	Spans struct {
		Data         []shownSpan `json:"data"`
		PageSize     int         `json:"page_size"`
		TotalResults int64       `json:"total_results"`
		NextCursor   string      `json:"next_cursor"`
		Partial      bool        `json:"partial"`
		SearchedTo   int64       `json:"searched_to"`
	} `json:"spans"`
}

// shownSpan is what the tests look at in a span.
type shownSpan struct {
	Environment string            `json:"environment"`
	Name        string            `json:"span_name"`
	SpanID      string            `json:"span_id"`
	Attributes  map[string]string `json:"span_attributes"`
}

func (p shownPage) names() (names []string) {
	for _, s := range p.Spans.Data {
		names = append(names, s.Name)
	}
	return names
}

// library is a testAPI with spans of one key's environment.
type library struct {
	*testAPI
	key  string
	env  tenant.Environment
	from string // Unix seconds before every span
}

func newLibrary(t testing.TB) *library {
	t.Helper()
	return libraryOf(t, newTestAPI(t))
}

// libraryOf returns a new environment of an API.
func libraryOf(t testing.TB, h *testAPI) *library {
	t.Helper()
	key := h.newKey(t)
	owner, err := h.live.Key(t.Context(), tenant.DigestOf(key))
	require.NoError(t, err)
	return &library{h, key, owner.Environment, strconv.FormatInt(h.now().Add(-time.Hour).Unix(), 10)}
}

// write stores spans named 0, 1, … that change may make different. All start
// in one millisecond.
func (l *library) write(t testing.TB, n int, change func(i int, r *store.Record)) {
	t.Helper()
	start := l.now().Add(-time.Minute).UnixNano()
	records := make([]store.Record, n)
	for i := range records {
		r := &records[i]
		r.Environment = l.env
		r.Span = span.Span{
			Environment: l.env.Slug,
			TraceID:     span.TraceID{1, byte(i % 3)},
			SpanID:      span.ID{2, byte(i >> 8), byte(i)},
			Name:        strconv.Itoa(i),
			Kind:        "SPAN_KIND_CLIENT",
			StatusCode:  "STATUS_CODE_UNSET",
			Start:       start,
			InputTokens: span.NoTokens, OutputTokens: span.NoTokens, TotalTokens: span.NoTokens,
		}
		if change != nil {
			change(i, r)
		}
	}
	require.NoError(t, storetest.Write(t.Context(), l.spans, records))
}

func (l *library) ask(t *testing.T, key string, params url.Values) reply {
	t.Helper()
	if !params.Has("from_timestamp_sec") {
		params.Set("from_timestamp_sec", l.from)
	}
	return l.call(t, "GET", spansPath+"?"+params.Encode(), key, "")
}

func (l *library) page(t *testing.T, params url.Values) shownPage {
	t.Helper()
	r := l.ask(t, l.key, params)
	require.Equal(t, http.StatusOK, r.status, r.body)
	var p shownPage
	require.NoError(t, json.Unmarshal([]byte(r.body), &p))
	require.NotNil(t, p.Spans.Data, "data is never null")
	require.Len(t, p.Spans.Data, p.Spans.PageSize)
	return p
}

func TestSpansShowTheirVerdicts(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	require.Empty(t, l.page(t, url.Values{}).Spans.Data)

	l.write(t, 2, func(i int, r *store.Record) {
		r.Span.Attributes = span.NewAttributes([]span.Attribute{{Key: "k", Value: "\x00<\"\\%_日本"}})
		r.Evaluations = []eval.Evaluation{{
			SetupID: "s", Evaluator: "char-count", Status: eval.Done, Backend: eval.Deterministic,
			Outputs: []eval.Output{{Name: "char_count", Value: int64(10 * i)}}, Time: r.Span.Start,
		}}
	})
	p := l.page(t, url.Values{})
	require.Equal(t, []string{"0", "1"}, p.names())
	require.EqualValues(t, 2, p.Spans.TotalResults)
	require.Equal(t, "prd", p.Spans.Data[0].Environment)
	require.Equal(t, map[string]string{"k": "\x00<\"\\%_日本", "evaluation.char-count.char_count": "10"}, p.Spans.Data[1].Attributes)

	p = l.page(t, url.Values{"filters": {`[{"id":"evaluation.char-count.char_count","operator":"greater_than","value":5}]`}})
	require.Equal(t, []string{"1"}, p.names())
	p = l.page(t, url.Values{"evaluation.char-count.char_count": {"0"}, "k": {"\x00<\"\\%_日本"}})
	require.Equal(t, []string{"0"}, p.names())
}

func TestPagesNeitherLoseNorRepeatSpans(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	const n = 23
	l.write(t, n, func(i int, r *store.Record) {
		r.Span.Name = "same"
		r.Span.Duration = int64(i%2) * 1e6
		r.Span.Workflow = strings.Repeat("é\"%", i%2)
		if i%4 != 0 {
			r.Span.TotalTokens = int64(i % 2)
		}
	})
	for _, by := range []string{
		"timestamp", "duration_ms", "span_name", "trace_id", "total_tokens", "llm_usage_total_tokens",
		"platform_workflow_name", "traceloop_workflow_name", "platform_entity_name", "llm_response_model",
	} {
		for _, order := range []string{"ASC", "desc"} {
			seen := map[string]bool{}
			params := url.Values{"sort_by": {by}, "sort_order": {order}, "limit": {"5"}}
			for pages := 1; ; pages++ {
				require.LessOrEqual(t, pages, 5)
				p := l.page(t, params)
				require.EqualValues(t, n, p.Spans.TotalResults)
				for _, s := range p.Spans.Data {
					require.False(t, seen[s.SpanID], "%s %s", by, order)
					seen[s.SpanID] = true
				}
				if p.Spans.NextCursor == "" {
					require.Equal(t, 5, pages)
					break
				}
				params.Set("cursor", p.Spans.NextCursor)
			}
			require.Len(t, seen, n)
		}
	}
}

func TestPagesStandStillWhileOthersWrite(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 10, nil)
	params := url.Values{"sort_order": {"desc"}, "limit": {"4"}}
	var seen []string
	for page := range 3 {
		p := l.page(t, params)
		seen = append(seen, p.names()...)
		params.Set("cursor", p.Spans.NextCursor)
		l.write(t, 1, func(_ int, r *store.Record) { // newer than all the others
			r.Span.SpanID = span.ID{9, byte(page)}
			r.Span.Name = "new"
			r.Span.Start += int64(time.Second)
		})
	}
	require.Equal(t, []string{"8", "5", "2", "7", "4", "1", "9", "6", "3", "0"}, seen)
}

func TestCursorsBelongToOneKeyAndOneQuery(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 3, nil)
	cursor := l.page(t, url.Values{"limit": {"1"}}).Spans.NextCursor
	require.NotEmpty(t, cursor)
	require.Len(t, l.page(t, url.Values{"limit": {"500"}, "cursor": {cursor}}).Spans.Data, 2, "the limit may change")
	require.Len(t, l.page(t, url.Values{"cursor": {""}}).Spans.Data, 3, "an empty cursor is none")

	refused := func(key string, params url.Values) {
		t.Helper()
		r := l.ask(t, key, params)
		require.Equal(t, http.StatusBadRequest, r.status)
		require.True(t, strings.HasPrefix(r.message(t), "cursor "), r.body)
	}
	refused(l.newKey(t), url.Values{"cursor": {cursor}})
	refused(l.key, url.Values{"cursor": {cursor}, "sort_order": {"desc"}})
	refused(l.key, url.Values{"cursor": {cursor}, "sort_by": {"span_name"}})
	refused(l.key, url.Values{"cursor": {cursor}, "k": {"v"}})
	refused(l.key, url.Values{"cursor": {cursor}, "to_timestamp_sec": {"9000000000"}})
	refused(l.key, url.Values{"cursor": {cursor}, "from_timestamp_sec": {"1"}})
	for _, bad := range []string{cursor[1:], cursor + "A", strings.ToUpper(cursor), "0", "1734451200000", "' OR 1=1", "\x00"} {
		refused(l.key, url.Values{"cursor": {bad}})
	}
}

func TestKeysSeeTheirOwnEnvironmentOnly(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 3, nil)
	stranger := l.newKey(t)
	for _, params := range []url.Values{
		{},
		{"environment": {"prd"}},
		{"environment_id": {string(l.env.ID)}},
		{"touchstone.environment.id": {string(l.env.ID)}},
		{"filters": {`[{"id":"trace_id","operator":"not_exists"}]`}},
	} {
		r := l.ask(t, stranger, params)
		require.Equal(t, http.StatusOK, r.status, r.body)
		require.JSONEq(t, `{"spans":{"data":[],"page_size":0,"total_results":0,"next_cursor":""}}`, r.body)
	}
}

func TestSpansAreFilteredAsClientsDo(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 6, func(i int, r *store.Record) {
		r.Span.Duration = int64(i) * 1e6
		r.Span.Service = "shop"
		r.Span.Workflow = fmt.Sprintf("w%d", i%2)
		r.Span.Resource = span.NewAttributes([]span.Attribute{{Key: "service.name", Value: "shop"}, {Key: "r", Value: strconv.Itoa(i)}})
		r.Span.Attributes = span.NewAttributes([]span.Attribute{
			{Key: "gen_ai.operation.name", Value: []string{"chat", "execute_tool"}[i%2]},
			{Key: "traceloop.association.properties.session_id", Value: "s" + strconv.Itoa(i/3)},
		})
		r.Span.Prompts = span.NewAttributes([]span.Attribute{{Key: "llm.prompts.0.content", Value: "question " + strconv.Itoa(i)}})
	})
	for name, test := range map[string]struct {
		params url.Values
		want   []string
	}{
		"a trace reader's query": {url.Values{
			"to_timestamp_sec": {strconv.FormatInt(time.Now().Add(time.Minute).Unix(), 10)}, "limit": {"500"}, "sort_by": {"timestamp"}, "sort_order": {"desc"},
			"filters": {`[{"id":"gen_ai.operation.name","operator":"in","value":["chat","other"]},{"id":"traceloop.association.properties.session_id","operator":"equals","value":"s1"}]`},
		}, []string{"4"}},
		"workflow":               {url.Values{"workflow": {"w1"}, "limit": {"100"}}, []string{"1", "3", "5"}},
		"span name":              {url.Values{"span_name": {"3"}}, []string{"3"}},
		"repeated parameter":     {url.Values{"r": {"1", "4"}}, []string{"1", "4"}},
		"service":                {url.Values{"service.name": {"shop"}, "span_attributes.service.name": {"shop"}}, nil},
		"bracketed attributes":   {url.Values{"attributes[r]": {"2"}}, []string{"2"}},
		"attributes":             {url.Values{"attributes": {`{"r":2}`}}, []string{"2"}},
		"resource attribute":     {url.Values{"resource_attributes.r": {"5"}}, []string{"5"}},
		"numbers, not texts":     {url.Values{"filters": {`[{"id":"duration","operator":"greater_than_or_equal","value":"4"},{"id":"r","operator":"less_than","value":10}]`}}, []string{"4", "5"}},
		"message as it was sent": {url.Values{"gen_ai.prompt.0.content": {"question 2"}}, []string{"2"}},
		"literal percent":        {url.Values{"filters": {`[{"id":"prompts","operator":"contains","value":"%"}]`}}, nil},
		"literal underscore":     {url.Values{"filters": {`[{"id":"span_name","operator":"starts_with","value":"_"}]`}}, nil},
		"injection":              {url.Values{"filters": {`[{"id":"x' OR ''='","operator":"equals","value":"' OR ''='"}]`}}, nil},
		"before all":             {url.Values{"from_timestamp_sec": {"0"}, "to_timestamp_sec": {l.from}}, nil},
		"long after":             {url.Values{"from_timestamp_sec": {"1772616490000"}}, nil},
	} {
		p := l.page(t, test.params)
		require.ElementsMatch(t, test.want, p.names(), name)
		require.EqualValues(t, len(test.want), p.Spans.TotalResults, name)
	}
}

func TestSpansAreRefusedNamingTheParameter(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	for params, start := range map[string]string{
		"":                     "from_timestamp_sec",
		"limit=5":              "from_timestamp_sec",
		"from_timestamp_sec=x": "from_timestamp_sec",
		"from_timestamp_sec=2&to_timestamp_sec=1": "from_timestamp_sec",
		"from_timestamp_sec=1&limit=0":            "limit",
		"from_timestamp_sec=1&limit=1&limit=2":    "limit",
		"from_timestamp_sec=1&sort_by=name":       "sort_by",
		"from_timestamp_sec=1&sort_order=up":      "sort_order",
		"from_timestamp_sec=1&filters=x":          "filters",
		"from_timestamp_sec=1&filters=[{}]":       "filters[0].id",
		"from_timestamp_sec=1&cursor=x":           "cursor",
		"from_timestamp_sec=1&k=%zz":              "query",
		"from_timestamp_sec=1;limit=1":            "query",
		"from_timestamp_sec=1&k=%ff":              "k",
	} {
		r := h.call(t, "GET", spansPath+"?"+params, key, "")
		require.Equal(t, http.StatusBadRequest, r.status, params)
		require.True(t, strings.HasPrefix(r.message(t), start+" "), "%s: %s", params, r.body)
	}
}
