// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
)

func TestAValueIsWhatTheServerReads(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), Config{DSN: clickhousetest.Database(t, t.Name()), Now: time.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	for _, want := range []string{"", "a", `'; DROP TABLE spans; --`, "\\'", "a\x00b", "\xff\xfe", "{x:String}", "$1 ? ?"} {
		var got string
		require.NoError(t, db.conn.QueryRow(t.Context(), "SELECT "+sqltext.Literal(want)).Scan(&got))
		require.Equal(t, want, got)
		require.Regexp(t, `^unhex\('[0-9a-f]*'\)$`, sqltext.Literal(want))
	}
	for _, want := range []int64{0, -1, math.MaxInt64, math.MinInt64, math.MinInt64 + 1} {
		n, err := db.number(t.Context(), "ask", "SELECT "+sqltext.Whole(want))
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	for _, want := range []float64{0, -1.5, 0.1, 1e300, 5e-324, math.MaxFloat64, 9007199254740993} {
		var got float64
		require.NoError(t, db.conn.QueryRow(t.Context(), "SELECT "+sqltext.Number(want)).Scan(&got))
		require.InDelta(t, want, got, 0)
	}
}
