// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// An export has every span that matches, over all pages, and the fields that were asked for.
func TestExportHasAllSpans(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	const all = 2300
	l.write(t, all, func(i int, r *store.Record) {
		r.Span.Duration = 1_500_000
		r.Span.TotalTokens = span.NoTokens
		if i == 7 {
			r.Span.Name, r.Span.User, r.Span.Input, r.Span.TotalTokens = "=SUM(A1)", "+1", "a \"b\",\nc", -4
			r.Evaluations = []eval.Evaluation{{
				SetupID: "s", Evaluator: "word-count", Status: eval.Done, Backend: eval.Deterministic, Time: r.Span.Start, Outputs: []eval.Output{{Name: "word_count", Value: 2.0}},
			}, {SetupID: "s", Evaluator: "pii-detector", Status: eval.Skipped, Reason: "missing_input", Time: r.Span.Start}}
		}
	})
	ask := func(members string) reply {
		return l.call(t, http.MethodPost, "/v2/warehouse/spans/export", l.key, `{"from_timestamp_sec":1,`+members+`}`)
	}
	export := func(members string) [][]string {
		t.Helper()
		r := ask(members)
		require.Equal(t, http.StatusOK, r.status, "%s", r.body)
		require.Equal(t, "text/csv; charset=utf-8; header=present", r.header.Get("Content-Type"))
		lines, err := csv.NewReader(strings.NewReader(r.body)).ReadAll()
		require.NoError(t, err)
		return lines
	}
	lines := export(`"fields":["user_id"]`)
	require.Equal(t, []string{"time", "trace_id", "span_id", "name", "type", "service", "status", "model", "duration_ms", "tokens", "user_id", "input", "output", "verdicts"}, lines[0])
	require.Len(t, lines, all+1)
	seen := map[string]bool{}
	for _, line := range lines[1:] {
		seen[line[3]] = true
	}
	require.Len(t, seen, all)
	lines = export(`"q":"evaluation.word-count.word_count>1","fields":["user_id"]`)
	require.Len(t, lines, 2)
	require.Equal(t, "'=SUM(A1)", lines[1][3])
	require.Equal(t, "1.5", lines[1][8])
	require.Equal(t, []string{"-4", "'+1", "a \"b\",\nc"}, lines[1][9:12])
	require.Equal(t, "word-count: word_count = 2; pii-detector: skipped (missing_input)", lines[1][13])
	require.Len(t, export(`"q":"name:nothing-has-this"`), 1)

	r := ask(`"fields":["evaluation.word-count"]`)
	require.Equal(t, http.StatusBadRequest, r.status)
	require.Contains(t, r.message(t), "fields[0]")
}
