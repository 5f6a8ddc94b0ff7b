// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/label"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// Texts of two people are in every place of files of one environment, closed ones
// and one that takes in spans, in earlier revisions and in messages that came apart;
// the spans of one are deleted while others are written and read.
func TestNothingOfDeletedSpansIsInTheFiles(t *testing.T) {
	t.Parallel()
	clk := newClock()
	dir := t.TempDir()
	env := testEnv("shared", label.DayClass)
	db := open(t, Config{
		Dir: dir, Now: clk.now, PartitionRows: 50, CheckpointBytes: 256 << 10, WindowKeys: 100, indexRows: 10, fileIdle: time.Hour,
		Report: func(message string, err error) { t.Errorf("%s: %v", message, err) },
	})
	gone, kept := marked{env, "GONE"}, marked{env, "KEPT"}
	var keys []span.Key
	for n := range 60 {
		person := kept
		if n%3 == 0 {
			person = gone
		}
		b := person.batch(n, clk.now())
		s := &b.Records[0].Span
		b.Messages[0].SpanID = s.SpanID
		b.Messages[0].TraceID = s.TraceID
		if n%3 == 0 {
			keys = append(keys, s.Key())
		}
		_, err := db.Write(t.Context(), b)
		require.NoError(t, err)
		again := b.Records[0].Evaluations[0]
		again.Revision, again.Outputs = 1, []eval.Output{{Name: "second", Value: person.prefix + "-second-text"}}
		_, err = db.Write(t.Context(), store.Batch{Evaluations: []store.Evaluated{{Environment: env.ID, Span: s.Key(), Evaluations: []eval.Evaluation{again}}}})
		require.NoError(t, err)
	}
	texts := slices.Concat(gone.texts()[1:], []string{"GONE-second-text"}) // without the environment's id
	stay := append(kept.texts(), "KEPT-second-text")
	db.awaitIdle(t)
	require.Subset(t, found(t, dir, texts), texts, "the search finds what is there")

	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	var written atomic.Int64
	wg.Go(func() {
		for n := 1000; ctx.Err() == nil; n++ {
			if _, err := db.Write(context.WithoutCancel(ctx), kept.batch(n, clk.now())); err != nil {
				t.Errorf("write: %v", err)
				return
			}
			written.Add(1)
		}
	})
	require.Eventually(t, func() bool { return written.Load() > 0 }, time.Minute, time.Millisecond)
	require.NoError(t, db.Delete(t.Context(), env.ID, store.Part{Spans: keys}))
	stop()
	wg.Wait()
	check := func() {
		db.awaitIdle(t)
		require.Empty(t, found(t, dir, texts))
		require.ElementsMatch(t, stay, found(t, dir, stay))
		require.Len(t, stored(t, db, env), 40+int(written.Load()))
		require.Equal(t, 40+written.Load(), backlogOf(t, db).stats().Evaluations)
	}
	check()
	require.NoError(t, db.Close())
	db = open(t, Config{Dir: dir, Now: clk.now})
	check()
}

// childDeleter deletes spans.
var childDeleter = killedAt(func(db *DB) error {
	return db.Delete(context.Background(), testEnv("env", label.DayClass).ID, store.Part{Spans: oddKeys(newClock())})
})

// oddKeys are the keys of every other of 250 spans.
func oddKeys(clk *clock) (keys []span.Key) {
	for n := 1; n < 250; n += 2 {
		r := numbered(testEnv("env", label.DayClass), n, clk.now())
		keys = append(keys, r.Span.Key())
	}
	return keys
}

// TestKilledWhileDeleting kills a process at each step of deleting, and expects all
// that is to be kept, once, and that the work can be taken up again.
func TestKilledWhileDeleting(t *testing.T) {
	t.Parallel()
	for _, step := range []string{partitions.StepCopied, partitions.StepDetached, partitions.StepRenamed, partitions.StepAttached} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			clk := newClock()
			env := testEnv("env", label.DayClass)
			db := open(t, Config{Dir: dir, Now: clk.now, PartitionRows: 100})
			for n := range 250 {
				require.NoError(t, storetest.Write(t.Context(), db, []store.Record{owing(env, n, clk.now(), clk.now())}))
			}
			require.NoError(t, db.Close())
			c := start(t, "deleter", dir, func(c *exec.Cmd) { c.Env = append(c.Env, childStep+"="+step) })
			c.expect(t, "open")
			require.False(t, c.out.Scan(), "it is killed")
			require.Error(t, c.Wait())

			db = open(t, Config{Dir: dir, Now: clk.now, PartitionRows: 100})
			left, err := filepath.Glob(filepath.Join(dir, instance.PartitionDir, "*.copy*"))
			require.NoError(t, err)
			require.Empty(t, left)
			require.Greater(t, len(stored(t, db, env)), 125, "one file was done at most")
			require.NoError(t, db.Delete(t.Context(), env.ID, store.Part{Spans: oddKeys(clk)}))
			there := stored(t, db, env)
			require.Len(t, there, 125)
			for n := range there {
				require.Zero(t, n%2)
			}
			require.EqualValues(t, 250, backlogOf(t, db).stats().Evaluations)
			// What was deleted may come again; what is there is known.
			for n := range 250 {
				require.NoError(t, storetest.Write(t.Context(), db, []store.Record{owing(env, n, clk.now(), clk.now())}))
			}
			require.Len(t, stored(t, db, env), 250)
		})
	}
}
