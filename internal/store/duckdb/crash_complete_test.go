// SPDX-License-Identifier: Apache-2.0

//go:build unix

package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/backlog"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// crashSpans is how many spans the process writes that is killed while it
// completes what is pending on them.
const crashSpans = 1600

// childCompleter writes spans, completes what is pending on them until it is killed,
// and prints what was acknowledged: which evaluation of which span, and its
// status.
func childCompleter(dir string) error {
	ctx := context.Background()
	clk := newClock()
	db, err := Open(ctx, Config{Dir: dir, MinFreeBytes: -1, PartitionRows: 300, CheckpointBytes: 1 << 18, Now: clk.now, indexRows: 1})
	if err != nil {
		return err
	}
	for n := 0; n < crashSpans; n += 200 {
		var batch []store.Record
		for i := range 200 {
			batch = append(batch, owing(crashEnvs()[i%2], n+i, clk.now(), clk.now()))
		}
		if err := storetest.Write(ctx, db, batch); err != nil {
			return err
		}
	}
	owed, err := backlog.Open(ctx, db, clk.now)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for {
				if err := completeSome(ctx, owed, clk, &mu); err != nil {
					panic(err)
				}
			}
		})
	}
	wg.Wait()
	return nil
}

func completeSome(ctx context.Context, owed *backlog.Backlog, clk *clock, mu *sync.Mutex) error {
	list, err := owed.Lease(ctx, clk.now(), clk.now().Add(time.Hour), 11)
	if err != nil {
		return err
	}
	var batch []store.Evaluated
	for _, o := range list {
		for i, v := range o.Evaluations {
			if n := numberOfKey(o.Span); i == 0 && n%3 == 0 && v.Attempts < 3 {
				v.Attempts++
				o.Evaluations[i] = v
				continue
			}
			o.Evaluations[i] = doneWith(v, strconv.Itoa(v.Attempts))
		}
		batch = append(batch, o)
	}
	if err := owed.Complete(ctx, batch); err != nil {
		return err
	}
	mu.Lock()
	defer mu.Unlock()
	for _, o := range batch {
		for _, v := range o.Evaluations {
			fmt.Printf("completed %d %s %s %d\n", numberOfKey(o.Span), v.Evaluator, v.Status, v.Attempts)
		}
	}
	return nil
}

const evaluationsOfAll = `SELECT s.span_id, j.evaluator, j.status, e.attempts
FROM evaluations e JOIN judgements j ON j.id = e.judgement LEFT JOIN spans s ON s.seq = e.seq`

// TestKilledProcessLosesNoCompletion kills a process that completes, and expects
// every evaluation once: completed as it was acknowledged, or pending.
func TestKilledProcessLosesNoCompletion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := start(t, "completer", dir)
	type name struct {
		n    int
		slug string
	}
	type state struct {
		status   eval.Status
		attempts int
	}
	acked := map[name]state{}
	read := func(text string) {
		var k name
		var s state
		if _, err := fmt.Sscan(text, &k.n, &k.slug, &s.status, &s.attempts); err == nil {
			acked[k] = s
		}
	}
	for len(acked) < 700 {
		read(c.expect(t, "completed "))
	}
	require.NoError(t, c.Process.Kill())
	for c.out.Scan() {
		if text := c.out.Text(); len(text) > len("completed ") {
			read(text[len("completed "):])
		}
	}
	require.Error(t, c.Wait())

	clk := newClock()
	db := open(t, Config{Dir: dir, Now: clk.now, PartitionRows: 400, files: 1, fileIdle: 4 * time.Millisecond, indexRows: 1})
	owed := map[name]int{}
	found := map[name]bool{}
	for _, p := range db.engine.partitions {
		require.NoError(t, db.engine.files.Alone(t.Context(), func(q *partitions.Querier) error {
			require.NoError(t, q.In(t.Context(), p))
			return q.Each(t.Context(), evaluationsOfAll, nil, func(rows *sql.Rows) error {
				var id int64
				var k name
				var s state
				require.NoError(t, rows.Scan(&id, &k.slug, &s.status, &s.attempts))
				k.n = numberOfKey(span.Key{SpanID: tables.Key{ID: id}.SpanID()})
				require.False(t, found[k], "%v twice", k)
				found[k] = true
				if s.status == eval.Deferred {
					owed[k] = s.attempts
				}
				ack, isAcked := acked[k]
				require.True(t, !isAcked || ack.status == eval.Deferred || s.status == eval.Done)
				require.GreaterOrEqual(t, s.attempts, ack.attempts)
				return nil
			})
		}))
	}
	require.Len(t, found, 3*crashSpans)
	for i, env := range crashEnvs() {
		for n, s := range stored(t, db, env) {
			require.Equal(t, i, n%2)
			_, done := s.Attributes.Get("evaluation.relevancy.o")
			_, notYet := owed[name{n: n, slug: "relevancy"}]
			require.NotEqual(t, notYet, done)
		}
	}
	require.NotEmpty(t, owed)
	work := backlogOf(t, db)
	require.EqualValues(t, len(owed), work.stats().Evaluations)
	for {
		list, err := work.Lease(t.Context(), clk.now(), clk.now().Add(time.Hour), 500)
		require.NoError(t, err)
		if len(list) == 0 {
			break
		}
		for _, o := range list {
			for _, v := range o.Evaluations {
				k := name{n: numberOfKey(o.Span), slug: v.Evaluator}
				attempts, found := owed[k]
				require.True(t, found)
				require.Equal(t, attempts, v.Attempts)
				delete(owed, k)
			}
		}
	}
	require.Empty(t, owed)
}
