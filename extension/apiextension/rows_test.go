// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
)

const searchPath = spansPath + "/search"

type shownRow struct {
	TraceID    string            `json:"trace_id"`
	SpanID     string            `json:"span_id"`
	Parent     string            `json:"parent_span_id"`
	StartNS    string            `json:"start_ns"`
	DurationNS string            `json:"duration_ns"`
	Name       string            `json:"name"`
	Kind       string            `json:"kind"`
	Type       string            `json:"type"`
	Service    string            `json:"service"`
	Status     string            `json:"status"`
	Vendor     string            `json:"vendor"`
	Model      string            `json:"model"`
	Tokens     *int64            `json:"tokens"`
	Fields     map[string]string `json:"fields"`
	Preview    map[string]string `json:"preview"`
	Verdicts   []shownVerdict    `json:"verdicts"`
}

type shownRows struct {
	Rows  []shownRow `json:"rows"`
	Total *int64     `json:"total_results"`
	Next  string     `json:"next_cursor"`
	// Of a search that ended at a bound.
	Partial    bool  `json:"partial"`
	SearchedTo int64 `json:"searched_to"`
}

// rows sends a search whose body has these members besides the period.
func (l *library) rows(t *testing.T, members string) shownRows {
	t.Helper()
	r := l.call(t, "POST", searchPath, l.key, `{"from_timestamp_sec":`+l.from+members+`}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	return into[shownRows](t, r)
}

func TestRowsShowSpansInShort(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.writeRich(t)
	row := l.rows(t, "").Rows[0]
	require.Nil(t, row.Preview)
	require.Empty(t, row.Fields)
	require.Nil(t, row.Tokens)
	require.Equal(t, "0200000000000000", row.SpanID)
	require.True(t, strings.HasSuffix(row.StartNS, "789"))
	require.Equal(t, "1234567", row.DurationNS)
	require.Len(t, row.Verdicts, 6)
	require.False(t, *row.Verdicts[0].Good)
	require.Equal(t, []any{"400001", 0.25}, []any{row.Verdicts[0].Duration, row.Verdicts[0].Cost})
	require.Equal(t, "deferred", row.Verdicts[3].Status)
	require.True(t, row.Verdicts[5].Cut)

	row = l.rows(t, `,"preview":3,"fields":["span_attributes.a.b","a.b","resource_attributes.a.b","evaluation.pii-detector.has_pii","duration","llm.prompts.0.role","output","none","evaluation.x.y"]`).Rows[0]
	require.Equal(t, map[string]string{"input": "</s", "output": "ééé", "question": "ééé", "answer": "ééé"}, row.Preview)
	require.Len(t, []rune(row.Fields["output"]), 500)
	delete(row.Fields, "output")
	require.Equal(t, map[string]string{
		"span_attributes.a.b": "1.50", "a.b": "1.50", "resource_attributes.a.b": "of the resource", "evaluation.pii-detector.has_pii": "true",
		"duration": "1", "llm.prompts.0.role": "user",
	}, row.Fields)
}

func TestRowsArePagesOfTheSameSearch(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 25, func(i int, r *store.Record) {
		r.Span.TotalTokens = int64(i % 5)
		r.Span.Service = "s" + strconv.Itoa(i%2)
		r.Evaluations = []eval.Evaluation{{SetupID: "s", Evaluator: "char-count", Status: eval.Done, Backend: eval.Deterministic, Outputs: []eval.Output{{Name: "char_count", Value: int64(i)}}, Time: r.Span.Start}}
	})
	const odd = `,"filters":[{"id":"service_name","operator":"equals","value":"s1"}],"sort_by":"evaluation.char-count.char_count","sort_order":"desc","limit":5`
	var names []string
	cursor := ""
	for {
		page := l.rows(t, odd+`,"cursor":"`+cursor+`"`)
		require.EqualValues(t, 12, *page.Total)
		for _, row := range page.Rows {
			names = append(names, row.Name)
			require.Equal(t, row.Name, strconv.Itoa(int(row.Verdicts[0].Outputs["char_count"].(float64))), "each row has its own verdicts")
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	require.Equal(t, []string{"23", "21", "19", "17", "15", "13", "11", "9", "7", "5", "3", "1"}, names)
	none := l.rows(t, `,"total":false,"limit":"3"`)
	require.Nil(t, none.Total)
	require.Len(t, none.Rows, 3)
	require.EqualValues(t, 0, *none.Rows[0].Tokens)
	require.Len(t, l.rows(t, `,"limit":99999`).Rows, 25)
	require.Empty(t, l.rows(t, `,"to_timestamp_sec":`+l.from).Rows)

	// A cursor is of one environment and of one search.
	cursor = l.rows(t, odd).Next
	body := `{"from_timestamp_sec":` + l.from + odd + `,"cursor":"` + cursor + `"}`
	require.Equal(t, http.StatusBadRequest, l.call(t, "POST", searchPath, l.newKey(t), body).status)
	require.Equal(t, http.StatusBadRequest, l.call(t, "POST", searchPath, l.key, strings.Replace(body, `"s1"`, `"s0"`, 1)).status)
	other := l.call(t, "POST", searchPath, l.newKey(t), `{"from_timestamp_sec":0}`)
	require.JSONEq(t, `{"rows":[],"total_results":0,"next_cursor":""}`, other.body)
	require.Equal(t, http.StatusForbidden, l.call(t, "POST", searchPath, accessToken, `{"from_timestamp_sec":0}`).status)
}

func TestRowsAreRefused(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	long := strings.Repeat("x", 4097)
	for members, want := range map[string]string{
		`"to_timestamp_sec":1`:                                                             "from_timestamp_sec is required",
		`"from_timestamp_sec":2,"to_timestamp_sec":1`:                                      "from_timestamp_sec must not be after to_timestamp_sec",
		`"from_timestamp_sec":"x"`:                                                         "from_timestamp_sec must be a whole number of seconds",
		`"from_timestamp_sec":1,"preview":501`:                                             "preview must be a whole number from 0 to 500",
		`"from_timestamp_sec":1,"preview":-1`:                                              "preview must be",
		`"from_timestamp_sec":1,"preview":"all"`:                                           "preview must be",
		`"from_timestamp_sec":1,"limit":0`:                                                 "limit must be a whole number from 1 to 1000",
		`"from_timestamp_sec":1,"sort_by":"x"`:                                             "sort_by must be one of",
		`"from_timestamp_sec":1,"sort_order":"up"`:                                         "sort_order must be ASC or DESC",
		`"from_timestamp_sec":1,"cursor":"AAAA"`:                                           "cursor is not one",
		`"from_timestamp_sec":1,"total":1`:                                                 "total must be a boolean",
		`"from_timestamp_sec":1,"fields":"output"`:                                         "fields must be",
		`"from_timestamp_sec":1,"fields":["a",""]`:                                         "fields[1] must not be blank",
		`"from_timestamp_sec":1,"fields":["prompts"]`:                                      "fields[0] must name an entry: llm.prompts.<index>.content",
		`"from_timestamp_sec":1,"fields":["span_attributes"]`:                              "fields[0] must name an attribute",
		`"from_timestamp_sec":1,"fields":["evaluation.x"]`:                                 "fields[0] must have the form evaluation",
		`"from_timestamp_sec":1,"fields":["` + long + `"]`:                                 "fields[0] must be at most 4096 characters",
		`"from_timestamp_sec":1,"fields":[` + strings.Repeat(`"a",`, 30) + `"a"]`:          "fields must have at most 30 items",
		`"from_timestamp_sec":1,"filters":[{"id":"a","operator":"like","value":"x"}]`:      "filters[0].operator must be one of",
		`"from_timestamp_sec":1,"filters":[{"id":"a","operator":"in","value":[]}]`:         "filters[0].value must",
		`"from_timestamp_sec":1,"filters":[{"id":"a","operator":"less_than","value":"x"}]`: "filters[0].value must be a finite number",
	} {
		r := l.call(t, "POST", searchPath, l.key, "{"+members+"}")
		require.Equal(t, http.StatusBadRequest, r.status, members)
		require.Contains(t, r.message(t), want, members)
	}
}

// Texts of any length cost an answer only as much as it shows of them.
func TestRowsAreSmall(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 20, func(_ int, r *store.Record) {
		huge := strings.Repeat("x", 200_000)
		r.Span.Input, r.Span.Output = huge, huge
		r.Span.Attributes = span.NewAttributes([]span.Attribute{{Key: "huge", Value: huge}})
	})
	r := l.call(t, "POST", searchPath, l.key, fmt.Sprintf(`{"from_timestamp_sec":%s,"preview":500,"fields":["huge"]}`, l.from))
	require.Equal(t, http.StatusOK, r.status)
	require.Less(t, len(r.body), 20*4000)
}
