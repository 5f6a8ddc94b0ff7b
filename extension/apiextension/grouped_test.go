// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
)

const groupPath = "/v2/warehouse/spans/group"

type groupText struct {
	TraceID string `json:"trace_id"`
	SpanID  string `json:"span_id"`
	Start   string `json:"start_ns"`
	Text    string
}

type groupRow struct {
	Key          string
	Start        string  `json:"start_ns"`
	End          string  `json:"end_ns"`
	Duration     string  `json:"duration_ns"`
	Latest       string  `json:"latest_ns"`
	Spans        int64   `json:"spans"`
	Errors       int64   `json:"errors"`
	Calls        int64   `json:"calls"`
	InputTokens  int64   `json:"input_tokens"`
	OutputTokens int64   `json:"output_tokens"`
	TotalTokens  int64   `json:"total_tokens"`
	Cost         float64 `json:"cost"`
	Failing      int64   `json:"failing"`
	Models       []string
	First        *groupText
	Last         *groupText
}

type groupRows struct {
	Rows []groupRow
	Next string `json:"next_cursor"`
}

// groups sends a search for groups whose body has these members besides the period.
func (l *library) groups(t *testing.T, members string) groupRows {
	t.Helper()
	r := l.call(t, "POST", groupPath, l.key, `{"from_timestamp_sec":`+l.from+`,`+members+`}`)
	require.Equal(t, http.StatusOK, r.status, r.body)
	return into[groupRows](t, r)
}

func TestSessionsWithTheirFigures(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	begin := l.now().Add(-time.Minute).UnixNano()
	l.write(t, 5, func(i int, r *store.Record) {
		s := &r.Span
		s.Start, s.Duration = begin+int64(i)*1e9, 5e8
		s.Type, s.Session, s.User = span.TypeLLM, "a", "u"
		s.Prompts = span.NewAttributes([]span.Attribute{{Key: "llm.prompts.0.role", Value: "user"}, {Key: "llm.prompts.0.content", Value: "question " + strconv.Itoa(i)}})
		s.Completions = span.NewAttributes([]span.Attribute{{Key: "llm.completions.0.role", Value: "assistant"}, {Key: "llm.completions.0.content", Value: "answer " + strconv.Itoa(i)}})
		s.InputTokens, s.OutputTokens, s.TotalTokens, s.Cost = 10, 5, 15, 2*span.PerDollar
		s.RequestModel, s.ResponseModel = "m", "m-1"
		switch i {
		case 0: // an agent repeats what its calls used
			s.Type, s.Kind, s.Input = span.TypeAgent, "SPAN_KIND_INTERNAL", "the task"
			s.RequestModel, s.ResponseModel = "", ""
		case 2:
			s.StatusCode, s.ResponseModel = span.StatusError, ""
			r.Evaluations = []eval.Evaluation{
				{SetupID: "s", Evaluator: "pii-detector", Status: eval.Done, Outputs: []eval.Output{{Name: "has_pii", Value: true}}},
				{SetupID: "s2", Evaluator: "pii-detector", Status: eval.Done, Outputs: []eval.Output{{Name: "has_pii", Value: true}}},
				{SetupID: "s", Evaluator: "char-count", Status: eval.Done, Outputs: []eval.Output{{Name: "char_count", Value: int64(1)}}},
			}
		case 3: // without calls of models
			s.Type, s.Session, s.Prompts, s.Completions, s.Input, s.Output = span.TypeTool, "b", nil, nil, "in", "out"
			s.InputTokens, s.OutputTokens, s.TotalTokens, s.Cost = span.NoTokens, span.NoTokens, span.NoTokens, span.NoTokens
		case 4:
			s.Session, s.Conversation = "", "c"
		}
	})
	ns := func(i, after int64) string { return strconv.FormatInt(begin+i*1e9+after, 10) }
	text := func(i int64, text string) *groupText {
		return &groupText{TraceID: (span.TraceID{1, byte(i % 3)}).String(), SpanID: (span.ID{2, 0, byte(i)}).String(), Start: ns(i, 0), Text: text}
	}
	want := []groupRow{
		{Key: "b", Start: ns(3, 0), End: ns(3, 5e8), Duration: "500000000", Latest: ns(3, 0), Spans: 1, Models: []string{"m-1"}, First: text(3, "in"), Last: text(3, "out")},
		{
			Key: "a", Start: ns(0, 0), End: ns(2, 5e8), Duration: "2500000000", Latest: ns(2, 0), Spans: 3, Errors: 1, Calls: 2,
			InputTokens: 20, OutputTokens: 10, TotalTokens: 30, Cost: 4, Failing: 2, Models: []string{"m", "m-1"}, First: text(1, "question 1"), Last: text(2, "answer 2"),
		},
	}
	require.Equal(t, groupRows{Rows: want}, l.groups(t, `"group_by":"session_id"`))
	// Conditions say which groups there are and in which order, not what is counted.
	want[1].Latest = ns(1, 0)
	require.Equal(t, groupRows{Rows: want[1:]}, l.groups(t, `"group_by":"session_id","q":"llm.response.model:m-1 type:llm"`))
	require.Equal(t, groupRows{Rows: []groupRow{}}, l.groups(t, `"group_by":"session_id","q":"name:nothing"`))

	short := l.groups(t, `"group_by":"session_id","preview":4`).Rows
	require.Equal(t, "ques", short[1].First.Text)
	require.Nil(t, l.groups(t, `"group_by":"session_id","preview":0`).Rows[0].First)
	users := l.groups(t, `"group_by":"user_id"`).Rows
	require.Equal(t, []any{1, "u", 5}, []any{len(users), users[0].Key, int(users[0].Spans)})
	require.Equal(t, "c", l.groups(t, `"group_by":"conversation_id"`).Rows[0].Key)
	traces := l.groups(t, `"group_by":"trace_id"`).Rows
	require.Len(t, traces, 3)
	require.Equal(t, []any{(span.TraceID{1, 1}).String(), int64(2), "question 1", "answer 4"}, []any{traces[0].Key, traces[0].Spans, traces[0].First.Text, traces[0].Last.Text})

	require.Empty(t, libraryOf(t, l.testAPI).groups(t, `"group_by":"session_id"`).Rows)
	for _, body := range []string{`"group_by":"service_name"`, `"group_by":"session_id","limit":201`, `"group_by":"session_id","cursor":"x"`, `"limit":1`} {
		require.Equal(t, http.StatusBadRequest, l.call(t, "POST", groupPath, l.key, `{"from_timestamp_sec":`+l.from+`,`+body+`}`).status, body)
	}
	require.Equal(t, http.StatusForbidden, l.call(t, "POST", groupPath, accessToken, `{"from_timestamp_sec":0,"group_by":"session_id"}`).status)
}

// Pages of any length have all groups in one order, also while more spans arrive.
func TestPagesOfGroups(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	r := rand.New(rand.NewPCG(3, 4))
	long := strings.Repeat("ü", 300) // of which 256 characters count
	latest := map[string]int64{}
	begin := l.now().Add(-time.Hour).UnixNano() + 2e9
	l.write(t, 300, func(i int, x *store.Record) {
		x.Span.Start = begin + r.Int64N(8)*450e9 // with many of one time
		x.Span.Session = "s" + strconv.Itoa(r.IntN(60))
		if i%20 == 0 {
			x.Span.Session = long + strconv.Itoa(i)
		}
		key := x.Span.Session
		if i%20 == 0 {
			key = strings.Repeat("ü", 256)
		}
		latest[key] = max(latest[key], x.Span.Start)
	})
	want := make([]string, 0, len(latest))
	for key := range latest {
		want = append(want, key)
	}
	slices.SortFunc(want, func(x, y string) int { return cmp.Or(cmp.Compare(latest[y], latest[x]), cmp.Compare(x, y)) })
	for _, limit := range []int{1, 60, 200, 7} {
		var got []string
		var spans int64
		arrived := 0
		for cursor := ""; ; {
			page := l.groups(t, fmt.Sprintf(`"group_by":"session_id","limit":%d,"cursor":%q,"preview":0`, limit, cursor))
			require.LessOrEqual(t, len(page.Rows), limit)
			for _, row := range page.Rows {
				got = append(got, row.Key)
				spans += row.Spans
				require.Equal(t, strconv.FormatInt(latest[row.Key], 10), row.Latest)
			}
			if cursor = page.Next; cursor == "" {
				break
			}
			if limit == 7 && arrived < 2 { // groups that are not shown yet get a span
				arrived++
				l.write(t, 1, func(_ int, x *store.Record) {
					x.Span.SpanID = span.ID{9, byte(arrived)}
					x.Span.Start, x.Span.Session = l.now().UnixNano(), want[10*arrived]
				})
			}
		}
		require.Equal(t, want, got, limit)
		require.EqualValues(t, 300+arrived, spans)
	}
}
