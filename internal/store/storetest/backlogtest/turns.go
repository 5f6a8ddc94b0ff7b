// SPDX-License-Identifier: Apache-2.0

package backlogtest

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// manyOwed is how much one environment has pending next to another with ten.
const manyOwed = 100_000

// exerciseTurns has environments that have much pending next to such that have
// little.
func exerciseTurns(t *testing.T, open Open) {
	many, few := storetest.Environment("many"), storetest.Environment("few")
	t.Run("environments take turns, also after a restart", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		b.owe(many, manyOwed, storetest.Epoch.Add(-time.Hour))
		b.owe(few, 10, storetest.Epoch.Add(-time.Minute))
		for _, restarted := range []bool{false, true} {
			counts := map[tenant.EnvironmentID]int{}
			var leases [][]store.Evaluated
			for range 3 {
				list := b.lease(8)
				require.Len(t, list, 8)
				for _, x := range list {
					counts[x.Environment]++
				}
				leases = append(leases, list)
			}
			require.Equal(t, map[tenant.EnvironmentID]int{many.ID: 14, few.ID: 10}, counts, "restarted: %v", restarted)
			last := int64(0)
			for _, list := range leases {
				for _, x := range list {
					if x.Environment == many.ID {
						require.GreaterOrEqual(t, x.Evaluations[0].Due, last, "of one environment what is due first comes first")
						last = x.Evaluations[0].Due
					}
				}
			}
			require.EqualValues(t, manyOwed+10, b.stats().Evaluations)
			b.reopen()
		}
	})
	t.Run("what one has pending does not push out what others have", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		b.owe(few, 10, storetest.Epoch.Add(-time.Minute))
		b.owe(many, manyOwed/5, storetest.Epoch.Add(-time.Hour))
		b.owe(storetest.Environment("third"), 10, storetest.Epoch.Add(-2*time.Hour))
		counts := map[tenant.EnvironmentID]int{}
		for _, x := range b.lease(30) {
			counts[x.Environment]++
		}
		require.Equal(t, map[tenant.EnvironmentID]int{many.ID: 10, few.ID: 10, "env_third": 10}, counts)
	})
	t.Run("one lease each goes around", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		b.owe(many, 50, storetest.Epoch.Add(-time.Hour))
		b.owe(few, 3, storetest.Epoch.Add(-time.Minute))
		var got []tenant.EnvironmentID
		for range 6 {
			got = append(got, b.lease(1)[0].Environment)
		}
		require.ElementsMatch(t, []tenant.EnvironmentID{many.ID, few.ID}, got[:2], "in any order")
		require.Equal(t, append(got[:2:2], got[:4]...), got)
		require.Len(t, b.lease(100), 47, "and who is alone has all turns")
	})
	t.Run("some environments are left out", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		third := storetest.Environment("third")
		b.owe(many, 50, storetest.Epoch.Add(-time.Hour))
		b.owe(few, 3, storetest.Epoch.Add(-time.Minute))
		b.owe(third, 2, storetest.Epoch.Add(-2*time.Minute))
		lease := func(but ...tenant.EnvironmentID) map[tenant.EnvironmentID]int {
			list, err := b.Lease(t.Context(), b.now(), b.now().Add(time.Minute), 100, but...)
			require.NoError(t, err)
			counts := map[tenant.EnvironmentID]int{}
			for _, x := range list {
				counts[x.Environment]++
			}
			return counts
		}
		require.Empty(t, lease(third.ID, many.ID, few.ID, "env_nobody"))
		require.Equal(t, map[tenant.EnvironmentID]int{few.ID: 3}, lease(many.ID, third.ID))
		require.Equal(t, map[tenant.EnvironmentID]int{third.ID: 2}, lease(many.ID))
		require.Equal(t, map[tenant.EnvironmentID]int{many.ID: 50}, lease(few.ID))
	})
	t.Run("very many environments are all served", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		const environments = 100
		for n := range environments {
			b.owe(storetest.Environment("e"+string(rune('A'+n))), 2, storetest.Epoch.Add(-time.Minute))
		}
		b.reopen()
		seen := map[tenant.EnvironmentID]int{}
		for left := 2 * environments; left > 0; {
			list := b.lease(17)
			require.NotEmpty(t, list, "%d are left", left)
			left -= len(list)
			for _, x := range list {
				seen[x.Environment]++
			}
		}
		require.Len(t, seen, environments)
		require.Empty(t, b.lease(17))
	})
}

// owe writes n spans with one pending evaluation each, due one after the other.
func (b *fixture) owe(env tenant.Environment, n int, due time.Time) {
	b.t.Helper()
	for done := 0; done < n; {
		var list []store.Record
		for ; done < n && len(list) < 5000; done++ {
			s := storetest.Span(env, 0)
			binary.BigEndian.PutUint32(s.TraceID[4:], uint32(done))
			s.SpanID = span.ID(s.TraceID[:8])
			s.SpanID[0] = 1
			v := storetest.Deferred("set_1", "tone", due)
			v.Due += int64(done)
			list = append(list, storetest.Record(env, s, []eval.Evaluation{v}...))
		}
		b.write(list...)
	}
}
