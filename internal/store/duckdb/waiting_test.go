// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/journal"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// patient are stores in which what waits does so until somebody looks.
func patient(cfg Config) Config {
	cfg.waitingTime = time.Hour
	if cfg.MinFreeBytes == 0 {
		cfg.MinFreeBytes = -1
	}
	return cfg
}

// committed returns how many spans of env are committed, whatever waits.
func (db *DB) committed(env tenant.EnvironmentID) int64 {
	return db.Spans(env) - db.waiting.Load().of(env).Spans
}

// journalSize returns the size of the file of the journal of a store.
func journalSize(t *testing.T, dir string) int64 {
	t.Helper()
	st, err := os.Stat(filepath.Join(dir, journal.Name))
	require.NoError(t, err)
	return st.Size()
}

// emptyJournal is the size of a journal without entries.
const emptyJournal = 8

func TestSmallGroupsWaitInTheJournal(t *testing.T) {
	t.Parallel()
	clk := newClock()
	dir := t.TempDir()
	db := open(t, patient(Config{Dir: dir, Now: clk.now}))
	env, other := testEnv("prd", time.Hour), testEnv("stg", 24*time.Hour)
	for n := range 10 {
		require.NoError(t, storetest.Write(t.Context(), db, []store.Record{numbered(env, n, clk.now()), numbered(other, n, clk.now())}))
	}
	require.EqualValues(t, 10, db.Spans(env.ID))
	require.Zero(t, db.committed(env.ID))
	before := journalSize(t, dir)

	// A repeat of what waits is known, within one group, too, and adds nothing.
	r := numbered(env, 3, clk.now())
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{r, r}))
	require.Equal(t, before, journalSize(t, dir))

	require.Len(t, stored(t, db, env), 10, "who looks sees all of it")
	require.EqualValues(t, 10, db.committed(env.ID))
	require.EqualValues(t, emptyJournal, journalSize(t, dir))
	require.Len(t, stored(t, db, other), 10)

	// Neither does a repeat of what is committed.
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{r}))
	require.EqualValues(t, emptyJournal, journalSize(t, dir))
	require.Len(t, stored(t, db, env), 10)
}

// What changes a span that waits, or one that is stored, tells that it did.
func TestWhatReplacesDoesNotWait(t *testing.T) {
	t.Parallel()
	clk := newClock()
	db := open(t, patient(Config{Dir: t.TempDir(), Now: clk.now}))
	env := testEnv("prd", time.Hour)
	r := numbered(env, 1, clk.now())
	want := []store.Location{{Environment: env.ID, Span: r.Span.Key()}}
	for n := range 3 {
		r.Span.Output = strconv.Itoa(n)
		w, err := db.Write(t.Context(), store.Batch{Records: []store.Record{r}})
		require.NoError(t, err)
		if n == 0 {
			require.Empty(t, w.Replaced)
			require.Zero(t, db.committed(env.ID))
			continue
		}
		require.Equal(t, want, w.Replaced)
		require.EqualValues(t, 1, db.committed(env.ID))
	}
	require.Equal(t, "2", stored(t, db, env)[1].Output)
}

func TestEvaluationsFindSpansThatWait(t *testing.T) {
	t.Parallel()
	clk := newClock()
	db := open(t, patient(Config{Dir: t.TempDir(), Now: clk.now}))
	env := testEnv("prd", time.Hour)
	r := numbered(env, 1, clk.now())
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{r}))
	x := store.Evaluated{Environment: env.ID, Span: r.Span.Key(), Evaluations: []eval.Evaluation{{SetupID: "s", Evaluator: "late", Status: eval.Done}}}
	_, err := db.Write(t.Context(), store.Batch{Evaluations: []store.Evaluated{x}})
	require.NoError(t, err)
	require.EqualValues(t, 1, db.committed(env.ID))
	require.Len(t, evaluationsOf(t, db, env, r), 2)
}

func TestWhatWaitsIsBounded(t *testing.T) {
	t.Parallel()
	clk := newClock()
	env := testEnv("prd", time.Hour)
	for name, c := range map[string]struct{ size, rows, text int }{
		"rows":  {rows: waitingRows, size: 400},
		"bytes": {rows: waitingBytes >> 14, size: 4, text: 16 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := open(t, patient(Config{Dir: t.TempDir(), Now: clk.now}))
			sent := 0
			for db.committed(env.ID) == 0 {
				require.LessOrEqual(t, sent, c.rows*2)
				var list []store.Record
				for range c.size {
					r := numbered(env, sent, clk.now())
					r.Span.Output = strings.Repeat("x", c.text)
					list = append(list, r)
					sent++
				}
				require.NoError(t, storetest.Write(t.Context(), db, list))
			}
			require.Greater(t, sent, c.rows/2)
			require.EqualValues(t, sent-c.size, db.committed(env.ID), "all but the last")
			require.Len(t, stored(t, db, env), sent)
		})
	}
}

func TestALargeGroupIsCommittedBehindWhatWaits(t *testing.T) {
	t.Parallel()
	clk := newClock()
	db := open(t, patient(Config{Dir: t.TempDir(), Now: clk.now}))
	env := testEnv("prd", time.Hour)
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{numbered(env, 0, clk.now())}))
	var list []store.Record
	for n := range 600 {
		list = append(list, numbered(env, 1+n, clk.now()))
	}
	require.NoError(t, storetest.Write(t.Context(), db, list))
	require.EqualValues(t, 601, db.committed(env.ID))
}

func TestNothingWaitsForLong(t *testing.T) {
	t.Parallel()
	clk := newClock()
	db := open(t, Config{Dir: t.TempDir(), Now: clk.now, waitingTime: time.Millisecond})
	env := testEnv("prd", time.Hour)
	for n := range 3 {
		require.NoError(t, storetest.Write(t.Context(), db, []store.Record{numbered(env, n, clk.now())}))
		require.Eventually(t, func() bool { return db.committed(env.ID) == int64(n+1) }, time.Minute, time.Millisecond)
	}
}

// looks are the calls that must see what waits, or have it gone.
func looks(env tenant.Environment, r store.Record) map[string]func(ctx context.Context, db *DB) (int, error) {
	return map[string]func(ctx context.Context, db *DB) (int, error){
		"Search": func(ctx context.Context, db *DB) (int, error) { return db.countFor(ctx, env) },
		"Get": func(ctx context.Context, db *DB) (int, error) {
			list, err := db.Get(ctx, env, []span.Key{r.Span.Key()}, 0)
			return len(list), err
		},
		"Evaluations": func(ctx context.Context, db *DB) (int, error) {
			list, err := db.Evaluations(ctx, []store.Location{{Environment: env.ID, Span: r.Span.Key()}}, 0, store.Latest)
			return len(list), err
		},
		"Aggregate": func(ctx context.Context, db *DB) (int, error) {
			list, err := db.Aggregate(ctx, env, query.Aggregate{Subject: query.Spans, To: 1<<63 - 1, Figures: []query.Figure{{Measure: query.Count}}})
			if err != nil || len(list) != 1 {
				return -1, err
			}
			return int(list[0].Values[0].Whole), nil
		},
		"Owed": func(ctx context.Context, db *DB) (int, error) {
			page, err := db.Owed(ctx, "", store.Due{}, 0)
			return int(page.Evaluations), err
		},
		"CountKept": func(ctx context.Context, db *DB) (int, error) {
			n, _, err := db.CountKept(ctx)
			return int(n), err
		},
		"KeptSpans": func(ctx context.Context, db *DB) (n int, err error) {
			err = db.KeptSpans(ctx, store.Place{Row: -1}, func(list []store.Kept, _ store.Place) error {
				n += len(list)
				return nil
			})
			return n, err
		},
		"Spans": func(_ context.Context, db *DB) (int, error) { return int(db.Spans(env.ID)), nil },
		"Backup": func(ctx context.Context, db *DB) (int, error) {
			into := filepath.Join(filepath.Dir(db.cfg.Dir), "backup")
			if _, err := db.Backup(ctx, into, func(BackupProgress) {}); err != nil {
				return 0, err
			}
			return countIn(ctx, into, env)
		},
		"Delete": func(ctx context.Context, db *DB) (int, error) {
			if err := db.Delete(ctx, env.ID, store.Part{Spans: []span.Key{r.Span.Key()}}); err != nil {
				return 0, err
			}
			n, err := db.countFor(ctx, env)
			return n + 1, err
		},
		"Close": func(ctx context.Context, db *DB) (int, error) {
			if err := db.Close(); err != nil {
				return 0, err
			}
			return countIn(ctx, db.cfg.Dir, env)
		},
	}
}

// countIn counts the spans of a store that nobody has open and that has an empty journal, or none.
func countIn(ctx context.Context, dir string, env tenant.Environment) (int, error) {
	found, err := journal.Read(filepath.Join(dir, journal.Name))
	if err != nil || len(found.Batches) > 0 {
		return 0, errors.Join(err, fmt.Errorf("%d groups wait", len(found.Batches)))
	}
	db, err := Open(ctx, Config{Dir: dir, Now: newClock().now, MinFreeBytes: -1})
	if err != nil {
		return 0, err
	}
	n, err := db.countFor(ctx, env)
	return n, errors.Join(err, db.Close())
}

func TestWhoLooksSeesWhatWaits(t *testing.T) {
	t.Parallel()
	env := testEnv("prd", 24*time.Hour)
	r := owing(env, 1, newClock().now(), newClock().now())
	r.Evaluations = r.Evaluations[1:2]
	for name, look := range looks(env, r) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := open(t, patient(Config{Dir: filepath.Join(t.TempDir(), "store"), Now: newClock().now}))
			require.NoError(t, storetest.Write(t.Context(), db, []store.Record{r}))
			require.Zero(t, db.committed(env.ID))
			n, err := look(t.Context(), db)
			require.NoError(t, err)
			require.Equal(t, 1, n)
		})
	}
}

// What a query costs and what an environment has stored are told of what waits, too.
func TestWhatWaitsIsInTheExtent(t *testing.T) {
	t.Parallel()
	db := open(t, patient(Config{Dir: t.TempDir()}))
	env, other := testEnv("prd", 100*time.Hour), testEnv("stg", 100*time.Hour)
	now := time.Now()
	first, last := numbered(env, 1, now), numbered(env, 2, now.Add(time.Minute))
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{first, last}))
	require.NotNil(t, db.waiting.Load())
	x := db.Extent(env.ID, math.MinInt64, math.MaxInt64)
	require.EqualValues(t, 2, x.Spans)
	require.Equal(t, first.Span.Start, x.First)
	require.Equal(t, last.Span.Start, x.Last)
	require.Positive(t, x.Bytes)
	require.Zero(t, db.Extent(env.ID, last.Span.Start+1, math.MaxInt64).Spans)
	require.Zero(t, db.Extent(other.ID, math.MinInt64, math.MaxInt64).Spans)
	_, _, err := db.CountKept(t.Context())
	require.NoError(t, err)
	require.Nil(t, db.waiting.Load())
	require.EqualValues(t, 2, db.Extent(env.ID, math.MinInt64, math.MaxInt64).Spans)
}
