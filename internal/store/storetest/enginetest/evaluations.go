// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

func exerciseEvaluations(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	t.Run("come back as they were, in the order they were made", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.RichSpan(env, 1)
		want := []eval.Evaluation{
			{
				SetupID: "set_1", Evaluator: "tone-detection", Status: eval.Done, Backend: eval.Embedded,
				Truncated: true, Duration: 99, Time: 10,
				Model: `gpt-"4"`, Cached: true, Generation: 1 << 40, Probability: 0.1, Source: eval.FromSDK,
				Outputs: []eval.Output{
					{Name: "tone", Value: `so "so"`},
					{Name: "score", Value: 0.25},
					{Name: "rank", Value: int64(-3)},
					{Name: "ok", Value: false},
				},
			},
			{SetupID: "set_2", Evaluator: "answer-relevancy", Status: eval.Deferred, Reason: eval.ReasonModel, Time: 20, Due: 25},
			{SetupID: "set_1", Evaluator: "pii-detector", Status: eval.Skipped, Reason: eval.ReasonMissingInput, Time: 20},
			{SetupID: "set_1", Evaluator: "regex", Status: eval.Failed, Reason: "it's broken", Duration: 1, Time: 30},
			storetest.Verdict("set_1", "count", 40, "whole", 3.0),
			{
				SetupID: "set_1", Evaluator: "unsure", Status: eval.Uncertain, Reason: eval.ReasonLanguage, Backend: eval.Embedded, Time: 45,
				Outputs: []eval.Output{{Name: "ok", Value: true}},
				Grounds: eval.Grounds{Score: eval.Scored(0.4), Reason: `it's "unsure"`, Evidence: []eval.Evidence{{Input: "text", Kind: "NAME", Start: 1, End: 5}}},
			},
			{
				SetupID: "set_1", Evaluator: "judged", Status: eval.Done, Backend: eval.Judge, Version: "v-3",
				Outputs:  []eval.Output{{Name: "ok", Value: true}},
				Usage:    eval.Usage{PromptTokens: 1 << 40, CompletionTokens: 3, Cost: 0.1 + 0.2, Unpriced: true},
				Attempts: 7, Duration: 9, Time: 50,
			},
		}
		b.write(storetest.Record(env, s, want[4], want[1], want[6], want[2], want[0], want[3], want[5]), storetest.Record(env, storetest.RichSpan(env, 2), storetest.Verdict("x", "x", 1, "x", "x")))
		for range 2 {
			got, err := storetest.EvaluationsOf(t.Context(), b, env, s)
			require.NoError(t, err)
			require.Equal(t, want, got)
			b.reopen()
		}
	})
	t.Run("a span that is not there has none", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		b.write(storetest.Record(env, storetest.RichSpan(env, 1)))
		got, err := storetest.EvaluationsOf(t.Context(), b, env, span.Span{TraceID: storetest.RichSpan(env, 1).TraceID, SpanID: span.ID{9}})
		require.NoError(t, err)
		require.Empty(t, got)
		got, err = storetest.EvaluationsOf(t.Context(), b, env, storetest.RichSpan(env, 1))
		require.NoError(t, err)
		require.Empty(t, got)
	})
	t.Run("verdicts are attributes of the span, the latest of a name", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		s := storetest.Span(env, 1)
		s.Attributes = storetest.Attributes("a", "1")
		failed := storetest.Verdict("set_3", "tone", 99, "tone", "never")
		failed.Status = eval.Failed
		guess := storetest.Verdict("set_4", "tone", 98, "tone", "guessed")
		guess.Status = eval.Uncertain
		b.write(storetest.Record(env, s,
			storetest.Verdict("set_1", "tone", 30, "tone", "late"), storetest.Verdict("set_2", "tone", 20, "tone", "early"), failed, guess,
			storetest.Verdict("set_1", "count", 5, "n", int64(1<<60)), storetest.Verdict("set_1", "score", 5, "x", 0.1), storetest.Verdict("set_1", "flag", 5, "y", true),
			storetest.Verdict("set_1", "whole", 5, "z", 4.0), storetest.Verdict("set_1", "odd", 5, "nan", math.Inf(1)),
		))
		got := b.all(env)
		require.Equal(t, storetest.Attributes("a", "1", "evaluation.tone.tone", "late", "evaluation.count.n", "1152921504606846976",
			"evaluation.score.x", "0.1", "evaluation.flag.y", "true", "evaluation.whole.z", "4", "evaluation.odd.nan", "+Inf"), got[0].Attributes)
	})
	t.Run("a filter finds the latest verdict of any setup, if it is done", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		one, two, three := storetest.Span(env, 1), storetest.Span(env, 2), storetest.Span(env, 3)
		failed := storetest.Verdict("set_1", "tone", 99, "tone", "sad")
		failed.Status = eval.Failed
		b.write(
			storetest.Record(env, one, storetest.Verdict("set_1", "tone", 1, "tone", "sad"), storetest.Verdict("set_2", "tone", 2, "tone", "glad"), storetest.Verdict("set_1", "count", 2, "n", int64(12))),
			storetest.Record(env, two, failed, storetest.Verdict("set_1", "tone", 1, "other", "sad"), storetest.Verdict("set_1", "count", 2, "n", int64(9))),
			storetest.Record(env, three),
		)
		for _, c := range []struct {
			slug, output string
			op           query.Operator
			value        string
			want         []span.Span
		}{
			{"tone", "tone", query.OpEquals, "sad", nil},
			{"tone", "tone", query.OpEquals, "glad", []span.Span{one}},
			{"tone", "tone", query.OpNotEquals, "sad", []span.Span{one, two, three}},
			{"tone", "tone", query.OpNotEquals, "glad", []span.Span{two, three}},
			{"tone", "tone", query.OpContains, "la", []span.Span{one}},
			{"tone", "other", query.OpStartsWith, "s", []span.Span{two}},
			{"tone", "tone", query.OpExists, "", []span.Span{one}},
			{"tone", "tone", query.OpNotExists, "", []span.Span{two, three}},
			{"count", "n", query.OpGreaterThan, "9", []span.Span{one}},
			{"count", "n", query.OpGreaterThanOrEqual, "9", []span.Span{one, two}},
			{"count", "m", query.OpLessThan, "100", nil},
			{"none", "n", query.OpNotExists, "", []span.Span{one, two, three}},
		} {
			f := filter(query.FieldEvaluation, c.slug, c.op, c.value)
			f.Field.Output = c.output
			require.Equal(t, storetest.IDs(c.want), storetest.IDs(b.find(env, everything(f)).Spans), "%+v", c)
		}
	})
}
