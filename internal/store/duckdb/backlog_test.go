// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/turns"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// owing makes the record of a span that is owed two evaluations.
func owing(env tenant.Environment, n int, start, due time.Time) store.Record {
	r := numbered(env, n, start)
	for _, slug := range []string{"tone", "relevancy"} {
		r.Evaluations = append(r.Evaluations, eval.Evaluation{
			SetupID: "s", Evaluator: slug, Status: eval.Deferred, Reason: eval.ReasonModel, Time: start.UnixNano(), Due: due.UnixNano(),
		})
	}
	return r
}

func keyOf(n int) span.Key {
	r := numbered(tenant.Environment{}, n, time.Unix(0, 0))
	return r.Span.Key()
}

func numberOfKey(k span.Key) int { return numberOf(&span.Span{SpanID: k.SpanID}) }

func doneWith(v eval.Evaluation, output string) eval.Evaluation {
	v.Status, v.Reason, v.Due, v.Backend = eval.Done, "", 0, eval.Judge
	v.Outputs = []eval.Output{{Name: "o", Value: output}}
	return v
}

// TestLeasesAcrossPartitions works on a backlog in many partitions, while some of
// it is put off and the engine is opened anew.
func TestLeasesAcrossPartitions(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 9))
	clk := newClock()
	cfg := Config{Dir: t.TempDir(), Now: clk.now, PartitionRows: 80}
	db := open(t, cfg)
	envs := []tenant.Environment{testEnv("a", 30*time.Hour), testEnv("b", 700*time.Hour)}
	const spans = 300
	for n := 0; n < spans; n += 50 {
		var batch []store.Record
		for i := range 50 {
			batch = append(batch, owing(envs[r.IntN(2)], n+i, clk.now(), clk.ago(time.Duration(r.IntN(5))*time.Second)))
		}
		require.NoError(t, storetest.Write(t.Context(), db, batch))
	}
	require.Len(t, db.engine.partitions, 4)
	owed := backlogOf(t, db)
	left := 2 * spans
	tries := map[string]int{}
	for left > 0 {
		require.EqualValues(t, left, owed.stats().Evaluations)
		if r.IntN(10) == 0 {
			db.engine.files.SetSuspect() // it is opened anew
			db.attempt = time.Time{}
		}
		clk.pass(time.Second)
		var batch []store.Evaluated
		last := map[tenant.EnvironmentID]int64{}
		for range 3 {
			list, err := owed.Lease(t.Context(), clk.now(), clk.now().Add(time.Hour), 20)
			require.NoError(t, err)
			for _, o := range list {
				require.GreaterOrEqual(t, o.Evaluations[0].Due, last[o.Environment])
				last[o.Environment] = o.Evaluations[0].Due
				for i, v := range o.Evaluations {
					n := numberOfKey(o.Span)
					name := v.Evaluator + strconv.Itoa(n)
					require.Equal(t, tries[name], v.Attempts)
					if n%7 == 0 && v.Attempts < 2 {
						v.Attempts++
						tries[name]++
						v.Due = clk.now().Add(time.Duration(r.IntN(2000)) * time.Millisecond).UnixNano()
						o.Evaluations[i] = v
						continue
					}
					o.Evaluations[i] = doneWith(v, strconv.Itoa(n))
					left--
				}
				batch = append(batch, o)
			}
		}
		require.NoError(t, owed.Complete(t.Context(), batch))
	}
	require.Zero(t, owed.stats())
	for _, env := range envs {
		for n, s := range stored(t, db, env) {
			for _, slug := range []string{"tone", "relevancy"} {
				value, _ := s.Attributes.Get("evaluation." + slug + ".o")
				require.Equal(t, strconv.Itoa(n), value)
			}
		}
	}
}

// TestClosedPartitionsStayCompact completes what is owed in partitions that are
// closed and expects their logs not to grow.
func TestClosedPartitionsStayCompact(t *testing.T) {
	t.Parallel()
	clk := newClock()
	cfg := Config{Dir: t.TempDir(), Now: clk.now, PartitionRows: 1000, CheckpointBytes: 2 << 20}
	db := open(t, cfg)
	env := testEnv("prd", 700*time.Hour)
	for n := 0; n < 2500; n += 500 {
		var batch []store.Record
		for i := range 500 {
			batch = append(batch, owing(env, n+i, clk.now(), clk.now()))
		}
		require.NoError(t, storetest.Write(t.Context(), db, batch))
	}
	db.engine.work.Wait()
	owed := backlogOf(t, db)
	for {
		list, err := owed.Lease(t.Context(), clk.now(), clk.now().Add(time.Hour), 250)
		require.NoError(t, err)
		if len(list) == 0 {
			break
		}
		var batch []store.Evaluated
		for _, o := range list {
			for i, v := range o.Evaluations {
				o.Evaluations[i] = doneWith(v, noise(numberOfKey(o.Span))[:200])
			}
			batch = append(batch, o)
		}
		require.NoError(t, owed.Complete(t.Context(), batch))
		require.NoError(t, db.queue.Enter(t.Context())) // what goes on behind the answer has ended
		db.queue.Leave()
		for _, p := range db.engine.partitions {
			if p == db.engine.current[p.Class] {
				continue
			}
			st, err := os.Stat(p.Path + ".wal")
			if err == nil {
				require.Less(t, st.Size(), cfg.CheckpointBytes/closedShare)
			}
		}
	}
	require.Len(t, stored(t, db, env), 2500)
	require.Zero(t, owed.stats())
}

// TestACompletionDoesNotReachASpanThatItsGroupReplaces has both in one group.
func TestACompletionDoesNotReachASpanThatItsGroupReplaces(t *testing.T) {
	t.Parallel()
	clk := newClock()
	db := open(t, Config{Dir: t.TempDir(), Now: clk.now})
	env := testEnv("prd", time.Hour)
	x := owing(env, 1, clk.now(), clk.now())
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{x}))
	made := store.Evaluated{Environment: env.ID, Span: x.Span.Key(), Evaluations: []eval.Evaluation{doneWith(x.Evaluations[1], "old")}}
	x.Span.Name = "changed"
	for range 2 {
		require.NoError(t, db.commitGroup(t.Context(), []*turns.Request{
			turns.NewRequest(store.Batch{Evaluations: []store.Evaluated{made}}),
			turns.NewRequest(store.Batch{Records: []store.Record{x}}),
		}))
	}
	list := evaluationsOf(t, db, env, x)
	require.Len(t, list, 3)
	require.Equal(t, "old", list[len(list)-1].Outputs[0].Value, "the second time the span is as it was")
	require.EqualValues(t, 1, backlogOf(t, db).stats().Evaluations)
}

// TestLeasesOutliveTheEngine opens the engine again while something is leased.
func TestLeasesOutliveTheEngine(t *testing.T) {
	t.Parallel()
	clk := newClock()
	db := open(t, Config{Dir: t.TempDir(), Now: clk.now})
	env := testEnv("prd", time.Hour)
	require.NoError(t, storetest.Write(t.Context(), db, []store.Record{owing(env, 1, clk.now(), clk.now()), owing(env, 2, clk.now(), clk.now())}))
	owed := backlogOf(t, db)
	lease := func(until time.Time) []store.Evaluated {
		list, err := owed.Lease(context.WithoutCancel(t.Context()), clk.now(), until, 1)
		require.NoError(t, err)
		return list
	}
	require.Equal(t, 1, numberOfKey(lease(clk.now().Add(time.Second))[0].Span))
	db.engine.files.SetSuspect()
	require.Equal(t, 2, numberOfKey(lease(clk.now().Add(time.Minute))[0].Span))
	require.Empty(t, lease(clk.now()))
	require.Equal(t, store.BacklogStats{Evaluations: 4, Leased: 4, OldestOwed: clk.now().UnixNano()}, owed.stats())
	clk.pass(time.Second)
	require.Equal(t, 1, numberOfKey(lease(clk.now())[0].Span))
}

// TestAFailedLeaseLeavesWhatIsOwed has no connection for those who read.
func TestAFailedLeaseLeavesWhatIsOwed(t *testing.T) {
	t.Parallel()
	clk := newClock()
	db := open(t, Config{Dir: t.TempDir(), Now: clk.now})
	env := testEnv("prd", time.Hour)
	var batch []store.Record
	for n := range 12 {
		batch = append(batch, owing(env, n, clk.now(), clk.now()))
	}
	require.NoError(t, storetest.Write(t.Context(), db, batch))
	owed := backlogOf(t, db)
	seen := map[span.Key]bool{}
	for _, limit := range []int{3, 20, 20} {
		var conns []*sql.Conn
		for range connections - 1 {
			conn, err := db.engine.instance.Pool.Conn(t.Context())
			require.NoError(t, err)
			conns = append(conns, conn)
		}
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			_, err := owed.Lease(ctx, clk.now(), clk.now().Add(time.Hour), 20)
			cancel()
			if len(seen) < len(batch) {
				require.ErrorIs(t, err, context.DeadlineExceeded)
			}
		}
		for _, conn := range conns {
			require.NoError(t, conn.Close())
		}
		list, err := owed.Lease(t.Context(), clk.now(), clk.now().Add(time.Hour), limit)
		require.NoError(t, err)
		for _, o := range list {
			require.False(t, seen[o.Span])
			require.Len(t, o.Evaluations, 2)
			seen[o.Span] = true
		}
	}
	require.Len(t, seen, len(batch))
}
