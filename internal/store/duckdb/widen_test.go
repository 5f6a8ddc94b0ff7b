// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// earlierStore makes a store as an earlier version left it.
func earlierStore(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, partitionDir, "0720h-20251121T000000Z-000001.duckdb")
	require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
	statements, err := os.ReadFile(filepath.Join("testdata", "earlier.sql"))
	require.NoError(t, err)
	db, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(t.Context(), "ATTACH "+quoted(path)+" AS old"+" ("+attachOptions+")"+"; USE old; "+string(statements))
	require.NoError(t, err)
	require.NoError(t, db.Close())
	return dir
}

func TestFilesOfAnEarlierVersionAreReadAndWritten(t *testing.T) {
	t.Parallel()
	clk := newClock()
	cfg := Config{Dir: earlierStore(t), Now: clk.now}
	env := testEnv("prd", 720*time.Hour)
	verdict := eval.Evaluation{
		SetupID: "s", Evaluator: "e", Status: eval.Done, Backend: eval.Deterministic, Duration: 7, Time: 1763720000000000010,
		Outputs: []eval.Output{{Name: "n", Value: int64(4)}},
	}
	owed := eval.Evaluation{SetupID: "s", Evaluator: "tone", Status: eval.Deferred, Reason: eval.ReasonModel, Time: 1763720000000000020}
	done := owed
	done.Status, done.Reason, done.Version, done.Attempts = eval.Done, "", "v2", 3
	done.Usage = eval.Usage{PromptTokens: 5, CompletionTokens: 6, Cost: 0.5, Unpriced: true}
	done.Outputs = []eval.Output{{Name: "tone", Value: "sad"}}
	later := owed
	later.Attempts, later.Due = 1, clk.now().Add(time.Hour).UnixNano()

	for round := range 3 {
		db := open(t, cfg)
		work := backlogOf(t, db)
		found := stored(t, db, env)
		require.Len(t, found, 5+round)
		evaluations := func(n int) []eval.Evaluation {
			return evaluationsOf(t, db, env, store.Record{Span: found[n]})
		}
		settle := func(n int, v eval.Evaluation) {
			x := found[n]
			require.NoError(t, work.Complete(t.Context(), []store.Evaluated{{
				Environment: env.ID, Span: span.Key{TraceID: x.TraceID, SpanID: x.SpanID}, Evaluations: []eval.Evaluation{v},
			}}))
		}
		require.Equal(t, []eval.Evaluation{verdict, owed}, evaluations(5))
		if round == 0 {
			require.EqualValues(t, 5, work.stats().Evaluations)
			settle(1, done)
			settle(2, later)
		}
		require.Equal(t, []eval.Evaluation{verdict, done}, evaluations(1))
		require.Equal(t, []eval.Evaluation{verdict, later}, evaluations(2))
		require.EqualValues(t, 4, work.stats().Evaluations)
		list, err := work.Lease(t.Context(), clk.now(), clk.now().Add(time.Second), 10)
		require.NoError(t, err)
		require.Len(t, list, 3)
		require.Equal(t, []eval.Evaluation{owed}, list[0].Evaluations)
		spent, err := store.ReadSpent(t.Context(), db, env.ID, "s", time.Unix(0, 0))
		require.NoError(t, err)
		require.InDelta(t, 0.5, spent, 0)
		require.NoError(t, storetest.Write(t.Context(), db, []store.Record{numbered(env, 100+round, clk.now())}))
		require.NoError(t, db.Close())
	}
}
