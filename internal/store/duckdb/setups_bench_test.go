// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/testbed/usage"
)

// BenchmarkSetupFigures measures what all setups of an environment come to in a day, of
// which the hour under way has the most: five setups with one to three evaluators each.
func BenchmarkSetupFigures(b *testing.B) {
	n := max(benchSpans(b), 300_000)
	db, err := Open(b.Context(), Config{Dir: b.TempDir(), MinFreeBytes: -1})
	require.NoError(b, err)
	defer func() { require.NoError(b, db.Close()) }()
	now := time.Now()
	src := newRecordSource(12*time.Hour, n)
	env := src.Environments()[0]
	for done := 0; done < n; done += 1000 {
		batch := src.batch(1000)
		for i := range batch {
			batch[i].Environment = env
			batch[i].Evaluations = ofSetups(i, &batch[i])
		}
		require.NoError(b, storetest.Write(b.Context(), db, batch))
	}
	from := now.UTC().Truncate(time.Hour).Add(-23 * time.Hour)
	var found map[string]*store.SetupFigures
	before := usage.CPUTime()
	for b.Loop() {
		found, err = store.ReadSetupFigures(b.Context(), db, env, from.UnixNano(), from.Add(24*time.Hour).UnixNano()-1, time.Hour, store.Midnight(now))
		require.NoError(b, err)
	}
	b.ReportMetric(float64((usage.CPUTime()-before).Nanoseconds())/1e6/float64(b.N), "cpu-ms/op")
	require.Len(b, found, 5)
}

// ofSetups returns the evaluations of a span by five setups, of which the last matches
// half of all.
func ofSetups(i int, r *store.Record) (list []eval.Evaluation) {
	for setup, evaluators := range []int{1, 2, 3, 1, 2} {
		if setup == 4 && i%2 == 0 {
			continue
		}
		for n := range evaluators {
			e := eval.Evaluation{
				SetupID: fmt.Sprintf("set_%d", setup), Evaluator: fmt.Sprintf("evaluator-%d", n), Status: eval.Done, Backend: eval.Deterministic,
				Generation: 1, Probability: 1, Source: eval.FromTouchstone, Outputs: []eval.Output{{Name: "is_valid", Value: i%7 > 0}},
				Duration: 500, Time: r.Span.Start + r.Span.Duration,
			}
			switch {
			case n == 1 && i%10 == 0:
				e.Status, e.Reason, e.Backend, e.Outputs = eval.Skipped, eval.ReasonSampledOut, "", nil
			case n == 2 && i%100 == 0:
				e.Status, e.Reason, e.Backend, e.Outputs, e.Due = eval.Deferred, eval.ReasonModel, "", nil, e.Time
			case n == 2:
				e.Backend, e.Usage = eval.Judge, eval.Usage{Cost: 0.001}
			}
			list = append(list, e)
		}
	}
	return list
}
