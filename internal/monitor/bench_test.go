// SPDX-License-Identifier: Apache-2.0

package monitor_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
)

// thousand returns a thousand setups of one environment with three evaluators each.
func thousand() []monitor.Setup {
	setups := make([]monitor.Setup, 1000)
	for i := range setups {
		user := "user-" + strconv.Itoa(i)
		setups[i] = setup(strconv.Itoa(i), "char-count", monitor.Rule{
			Key: "user.id", Source: monitor.SpanAttributes, Operator: query.OpEquals, Value: &user,
		})
		setups[i].Evaluators = []monitor.SetupEvaluator{{Slug: "char-count"}, {Slug: "word-count"}, {Slug: "json-validator"}}
		setups[i].Revision, setups[i].CreatedAt = 1, time.Unix(int64(i), 0)
	}
	return setups
}

// BenchmarkOneChangedOfAThousand is of the compiling that follows the change of one setup.
func BenchmarkOneChangedOfAThousand(b *testing.B) {
	c := monitor.NewCache(prebuilt, always)
	setups := thousand()
	_ = c.Monitors("env", setups)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		setups = slices.Clone(setups)
		setups[i%len(setups)].Revision++
		_ = c.Monitors("env", setups)
	}
}

// BenchmarkCarried is of thirty evaluations of three evaluators: put on a span, and taken off it.
func BenchmarkCarried(b *testing.B) {
	var evaluations []eval.Evaluation
	for range 10 {
		for _, slug := range []string{"char-count", "word-count", "json-validator"} {
			evaluations = append(evaluations, eval.Evaluation{
				SetupID: "0b2a8ba8-6f4c-4b52-9c5f-0d6f0ef6a5a1", Evaluator: slug, Status: eval.Done, Backend: eval.Deterministic,
				Duration: 2000, Time: 1_700_000_000_000_000_000, Probability: 1, Source: eval.FromTouchstone,
				Outputs: []eval.Output{{Name: "count", Value: int64(1234)}},
			})
		}
	}
	m := pcommon.NewMap()
	b.Run("Carry", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m = pcommon.NewMap()
			monitor.Carry(m, evaluations)
		}
	})
	b.Run("Carried", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = monitor.Carried(m)
		}
	})
}
