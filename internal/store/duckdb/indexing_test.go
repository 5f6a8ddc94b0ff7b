// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/index"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
)

// writeJudged writes the spans from one number to another with so many attributes and
// verdicts each.
func writeJudged(t *testing.T, db *DB, clk *clock, from, to, attributes, verdicts int) {
	t.Helper()
	env := testEnv("a", 720*time.Hour)
	for first := from; first < to; first += 250 {
		var b store.Batch
		for i := first; i < min(first+250, to); i++ {
			r := numbered(env, i, clk.now())
			var list []span.Attribute
			for k := range attributes {
				list = append(list, span.Attribute{Key: "key " + strconv.Itoa(k), Value: strconv.Itoa(i * (k + 1) % 977)})
			}
			r.Span.Attributes = span.NewAttributes(list)
			r.Evaluations = nil
			for k := range verdicts {
				e := eval.Evaluation{
					SetupID: "s", Evaluator: "e" + strconv.Itoa(k), Status: eval.Done, Time: clk.now().UnixNano(),
					Outputs: []eval.Output{{Name: "n", Value: int64(i * (k + 1) % 1009)}},
				}
				r.Evaluations = append(r.Evaluations, e)
				if k == 0 { // which two setups ask for
					e.SetupID, e.Outputs = "s2", []eval.Output{{Name: "n", Value: int64(i)}}
					r.Evaluations = append(r.Evaluations, e)
				}
			}
			b.Records = append(b.Records, r)
		}
		_, err := db.Write(t.Context(), b)
		require.NoError(t, err)
	}
}

// An index of many verdicts is made in little memory.
func TestIndexTakesLittleMemory(t *testing.T) {
	t.Parallel()
	clk := newClock()
	var reports atomic.Int64
	db := open(t, Config{
		Dir: t.TempDir(), Now: clk.now, MemoryLimit: 32 << 20, PartitionRows: 30_000, indexRows: 1,
		Report: func(message string, err error) {
			t.Log(message, err)
			if strings.HasPrefix(message, "the index") {
				reports.Add(1)
			}
		},
	})
	writeJudged(t, db, clk, 0, 30_001, 5, 30)
	db.awaitIndexes()
	require.True(t, db.engine.partitions[0].IsIndexed())
	require.Zero(t, reports.Load())
}

// An index that is made in parts has what one has that is made at once.
func TestIndexIsMadeInParts(t *testing.T) {
	t.Parallel()
	clk := newClock()
	db := open(t, Config{Dir: t.TempDir(), Now: clk.now, PartitionRows: 6000, indexRows: 1 << 40})
	writeJudged(t, db, clk, 0, 6000, 9, 9)
	for _, before := range []string{"SELECT 1", "DELETE FROM evaluations WHERE judgement IN (SELECT id FROM judgements WHERE setup = 's2')"} {
		many, small := indexOf(t, db, before, 64<<10)
		one, whole := indexOf(t, db, before, 1<<30)
		require.Equal(t, whole, small)
		require.Greater(t, many, one+20)
		require.Regexp(t, "^54000 ", whole[0], "tokens")
		require.Regexp(t, "^54000 ", whole[1], "verdicts: those of two setups count once")
	}
}

// indexOf makes the index of the first partition with so much room, after a statement, and
// gives both up. It returns how many statements that took, and how many rows there were with their sum.
func indexOf(t *testing.T, db *DB, before string, room int64) (statements int, has []string) {
	t.Helper()
	ctx := t.Context()
	require.NoError(t, db.engine.files.Alone(ctx, func(q *partitions.Querier) error {
		require.NoError(t, q.In(ctx, db.engine.partitions[0]))
		for _, s := range []string{"BEGIN TRANSACTION", before} {
			_, err := q.Conn.ExecContext(ctx, s)
			require.NoError(t, err)
		}
		list, err := index.Statements(ctx, q.Conn, room)
		require.NoError(t, err)
		list = append(list, index.Ready()...)
		for _, s := range list {
			_, err := q.Conn.ExecContext(ctx, s)
			require.NoError(t, err, s)
		}
		statements = len(list)
		for _, count := range []string{"count(*) || ' ' || sum(hash(token, seq)) FROM tokens", "count(*) || ' ' || sum(hash(field, number, text, seq)) FROM verdicts"} {
			var told string
			require.NoError(t, q.Conn.QueryRowContext(ctx, "SELECT "+count).Scan(&told))
			has = append(has, told)
		}
		_, err = q.Conn.ExecContext(ctx, "ROLLBACK")
		return err
	}))
	return statements, has
}
