// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/pools"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// counts counts the evaluations of a setup and expects an answer.
func (b *fixture) counts(env tenant.Environment, setup string) []store.EvaluationCount {
	b.t.Helper()
	list, err := store.ReadEvaluationCounts(b.t.Context(), b, env, setup)
	require.NoError(b.t, err)
	return list
}

func exerciseTallies(t *testing.T, open Open) {
	env := storetest.Environment("prd")
	t.Run("count by evaluator, status and what was skipped for", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		made := func(slug string, status eval.Status, reason string, at int64, cost float64) eval.Evaluation {
			e := eval.Evaluation{SetupID: "s", Evaluator: slug, Status: status, Reason: reason, Time: at, Usage: eval.Usage{Cost: cost}}
			if status == eval.Deferred {
				e.Due = at
			}
			return e
		}
		b.write(
			storetest.Record(env, storetest.Span(env, 1), made("b", eval.Done, "", 5, 0.25), made("a", eval.Skipped, eval.ReasonSampledOut, 1, 0)),
			storetest.Record(env, storetest.Span(env, 2), made("b", eval.Done, "", 4, 0.5), made("a", eval.Skipped, eval.ReasonMissingInput, 2, 0)),
			storetest.Record(env, storetest.Span(env, 3), made("b", eval.Failed, "the last", 9, 1), made("a", eval.Skipped, eval.ReasonSampledOut, 3, 0)),
			storetest.Record(env, storetest.Span(env, 4), made("b", eval.Failed, "the first", 8, 2), made("c", eval.Deferred, "quota's over", 7, 0)),
			storetest.Record(env, storetest.Span(env, 5), storetest.Verdict("S", "b", 99, "o", 1.0)),
			storetest.Record(storetest.Environment("stg"), storetest.Span(env, 6), made("b", eval.Done, "", 99, 9)),
		)
		want := []store.EvaluationCount{
			{Evaluator: "a", Status: eval.Skipped, Reason: eval.ReasonMissingInput, Count: 1, Last: 2},
			{Evaluator: "a", Status: eval.Skipped, Reason: eval.ReasonSampledOut, Count: 2, Last: 3},
			{Evaluator: "b", Status: eval.Done, Count: 2, Last: 5, Cost: 0.75},
			{Evaluator: "b", Status: eval.Failed, Count: 2, Last: 9, LastError: "the last", Cost: 3},
			{Evaluator: "c", Status: eval.Deferred, Count: 1, Last: 7, LastError: "quota's over"},
		}
		for range 2 {
			require.Equal(t, want, b.counts(env, "s"))
			require.Empty(t, b.counts(env, "s' OR true --"))
			require.Empty(t, b.counts(env, "\xff"))
			require.Empty(t, b.counts(storetest.Environment("none"), "s"))
			b.reopen()
		}
	})
	t.Run("end with the retention of the span", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		short := storetest.Environment("short")
		short.Retention = 10 * time.Hour
		for i := range 3 {
			s := storetest.Span(short, i)
			s.Start = storetest.Epoch.UnixNano() + int64(i)
			b.write(storetest.Record(short, s, storetest.Verdict("s", "e", int64(i), "o", 1.0)))
		}
		b.pass(short.Retention + 1)
		require.Equal(t, []store.EvaluationCount{{Evaluator: "e", Status: eval.Done, Count: 2, Last: 2}}, b.counts(short, "s"))
		b.pass(2)
		require.Empty(t, b.counts(short, "s"))
	})
	t.Run("count what is completed once, and what is replaced no more", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		owed := eval.Evaluation{SetupID: "s", Evaluator: "e", Status: eval.Deferred, Reason: "down", Time: 1, Due: 1}
		b.write(storetest.Record(env, storetest.Span(env, 1), owed), storetest.Record(env, storetest.Span(env, 2), owed))
		b.pass(50 * time.Hour)
		b.complete([]store.Evaluated{
			{Environment: env.ID, Span: storetest.KeyOf(storetest.Span(env, 1)), Evaluations: []eval.Evaluation{storetest.Verdict("s", "e", 2, "o", 2.0)}},
		}...)
		require.Equal(t, []store.EvaluationCount{
			{Evaluator: "e", Status: eval.Deferred, Count: 1, Last: 1, LastError: "down"},
			{Evaluator: "e", Status: eval.Done, Count: 1, Last: 2},
		}, b.counts(env, "s"))
		changed := storetest.Span(env, 2)
		changed.Name = "changed"
		b.write(storetest.Record(env, changed))
		require.Equal(t, []store.EvaluationCount{{Evaluator: "e", Status: eval.Done, Count: 1, Last: 2}}, b.counts(env, "s"))
	})
	t.Run("are those of the model", func(t *testing.T) {
		t.Parallel()
		r := rand.New(rand.NewPCG(9, 10))
		b := newFixture(t, open)
		m := model{slug: env.Slug}
		for range 3 {
			var batch []store.Record
			for range 60 {
				x := storetest.Record(env, storetest.Span(env, len(m.records)), pools.RandomEvaluations(r)...)
				for i := range x.Evaluations {
					x.Evaluations[i].Time += int64(len(m.records)) * 100
				}
				m.records = append(m.records, x)
				batch = append(batch, x, storetest.Record(storetest.Environment("stg"), x.Span, pools.RandomEvaluations(r)...))
			}
			b.write(batch...)
			b.pass(25 * time.Hour)
		}
		for _, setup := range append(pools.Setups, "none") {
			require.Equal(t, m.counts(setup), b.counts(env, setup))
		}
	})
	t.Run("a closed store has none", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		requireNoAnswer(t, b, func() error { _, err := store.ReadEvaluationCounts(t.Context(), b, env, "s"); return err })
	})
}

// counts counts the slow way.
func (m model) counts(setup string) []store.EvaluationCount {
	list := []store.EvaluationCount{}
	for _, x := range m.records {
		for _, e := range x.Evaluations {
			if e.SetupID != setup {
				continue
			}
			t := store.EvaluationCount{Evaluator: e.Evaluator, Status: e.Status}
			if e.Status == eval.Skipped {
				t.Reason = e.Reason
			}
			i := slices.IndexFunc(list, func(o store.EvaluationCount) bool {
				return o.Evaluator == t.Evaluator && o.Status == t.Status && o.Reason == t.Reason
			})
			if i < 0 {
				i, list = len(list), append(list, t)
			}
			sum := &list[i]
			sum.Count++
			sum.Cost += e.Usage.Cost
			if e.Time >= sum.Last {
				sum.Last = e.Time
				if e.Status == eval.Failed || e.Status == eval.Deferred {
					sum.LastError = e.Reason
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b store.EvaluationCount) int {
		return cmp.Or(cmp.Compare(a.Evaluator, b.Evaluator), cmp.Compare(a.Status, b.Status), cmp.Compare(a.Reason, b.Reason))
	})
	return list
}
