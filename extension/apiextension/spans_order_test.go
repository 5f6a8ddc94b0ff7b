// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
)

func TestSpansAreSortedByVerdicts(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.write(t, 9, func(i int, r *store.Record) {
		if i > 6 {
			return
		}
		r.Evaluations = []eval.Evaluation{{
			SetupID: "s", Evaluator: "tone-detection", Status: eval.Done, Backend: eval.Embedded, Time: r.Span.Start,
			Outputs: []eval.Output{{Name: "score", Value: []float64{10, 9.5, -1, 100, 2e-3, 0, 9.5}[i]}, {Name: "tone", Value: "7"}},
		}, {
			SetupID: "s", Evaluator: "profanity-detector", Status: eval.Done, Backend: eval.Embedded, Time: r.Span.Start,
			Outputs: []eval.Output{{Name: "is_safe", Value: i%2 == 0}},
		}}
	})
	for by, want := range map[string][]string{
		"evaluation.tone-detection.score":       {"3", "0", "", "", "4", "5", "2", "", ""},
		"evaluation.profanity-detector.is_safe": {"", "", "", "", "", "", "", "", ""},
	} {
		for _, order := range []string{"DESC", "asc"} {
			params := url.Values{"sort_by": {by}, "sort_order": {order}, "limit": {"2"}}
			var got []string
			for range 9 {
				p := l.page(t, params)
				require.EqualValues(t, 9, p.Spans.TotalResults)
				got = append(got, p.names()...)
				if p.Spans.NextCursor == "" {
					break
				}
				params.Set("cursor", p.Spans.NextCursor)
			}
			require.ElementsMatch(t, []string{"0", "1", "2", "3", "4", "5", "6", "7", "8"}, got)
			if order == "asc" {
				slices.Reverse(got)
			}
			for i, name := range want {
				if name != "" {
					require.Equal(t, name, got[i], "%s %s", by, order)
				}
			}
			if by == "evaluation.profanity-detector.is_safe" {
				require.ElementsMatch(t, []string{"0", "2", "4", "6"}, got[:4], "true is 1")
				require.ElementsMatch(t, []string{"7", "8"}, got[7:], "without a verdict")
			}
		}
	}
	for _, bad := range []string{"evaluation", "evaluation.", "evaluation.x", "evaluation..y", "evaluation.x."} {
		r := l.ask(t, l.key, url.Values{"sort_by": {bad}})
		require.Equal(t, http.StatusBadRequest, r.status, bad)
		require.True(t, strings.HasPrefix(r.message(t), "sort_by "), r.body)
	}
}
