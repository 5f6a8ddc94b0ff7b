// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// putTogether is what plans call the step by which FINAL puts the versions of rows together.
const putTogether = "ReplacingSorted"

// The key of the table of spans keeps FINAL cheap, as the server's own plans say: of a period
// the granules of one environment and its buckets are read; parts that were merged and
// follow one another in time are read as they are; and a part that was not merged yet is put
// together with those of its time alone.
func TestTheKeyKeepsFinalCheap(t *testing.T) {
	t.Parallel()
	db, _ := open(t, t.Name(), func() time.Time { return storetest.Epoch }).(*DB)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	const periods, perPeriod, apart = 3, 2000, 10 * 24 * time.Hour // so they expire apart, too
	var environments []tenant.Environment
	for _, slug := range []string{"dev", "prd"} {
		env := storetest.Environment(slug)
		env.Retention = 100 * 24 * time.Hour
		environments = append(environments, env)
	}
	begin := func(period int) int64 { return storetest.Epoch.Add(-time.Duration(periods-period) * apart).UnixNano() }
	write := func(period, from, n int) {
		var list []store.Record
		for _, env := range environments {
			for i := range n {
				s := storetest.Span(env, period*perPeriod+from+i)
				s.Start = begin(period) + int64(i%4)*int64(span.BucketLength)
				list = append(list, storetest.Record(env, s))
			}
		}
		require.NoError(t, storetest.Write(t.Context(), db, list))
	}
	for p := range periods {
		write(p, 0, perPeriod/2)
		write(p, perPeriod/2, perPeriod/2)
	}
	require.NoError(t, db.conn.Exec(t.Context(), "OPTIMIZE TABLE "+spansTable+" FINAL"))
	require.NoError(t, db.conn.Exec(t.Context(), "SYSTEM STOP MERGES "+spansTable))
	// The first of them in the order of the key: a granule of the new part has rows of both.
	count := func(from, to int64) string {
		source := db.sourceOf(environments[0].ID, from, to)
		return "SELECT toInt64(count()) FROM " + source.from()
	}
	all := count(math.MinInt64, math.MaxInt64)
	plan := explained(t, db, "PIPELINE", all)
	require.NotContains(t, plan, putTogether)
	require.Contains(t, plan, "MergeTreeSelect")

	write(periods-1, perPeriod, 10)
	plan = explained(t, db, "PIPELINE", all)
	require.Contains(t, plan, putTogether)
	require.Equal(t, strings.Count(plan, putTogether), strings.Count(plan, putTogether+" 2 → 1"), "the new part and the one of its time, of four: %s", plan)
	require.NotContains(t, explained(t, db, "PIPELINE", count(begin(0), begin(1)-1-int64(span.BucketLength))), putTogether, "of an earlier period")

	plan = explained(t, db, "indexes = 1", count(begin(1), begin(1)+int64(span.BucketLength)-1))
	_, by, found := strings.Cut(plan, "PrimaryKey")
	require.True(t, found, plan)
	some, of := granulesOf(t, by)
	require.Less(t, some*8, of, "one of twelve buckets of one of two environments, and what it shares granules with: %s", plan)
	n, err := db.number(t.Context(), "count", all)
	require.NoError(t, err)
	require.EqualValues(t, periods*perPeriod+10, n)
}
