// SPDX-License-Identifier: Apache-2.0

package monitor_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

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
