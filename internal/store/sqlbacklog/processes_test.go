// SPDX-License-Identifier: Apache-2.0

package sqlbacklog

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/fake"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
)

// lagging is an engine of which a replica answers that may not know of anything yet.
type lagging struct {
	*fake.Engine
	blind atomic.Bool
	reads atomic.Int64
}

func (e *lagging) Evaluations(ctx context.Context, at []store.Location, from int64, which store.Revisions) ([]store.Evaluated, error) {
	e.reads.Add(1)
	if e.blind.Load() {
		return nil, nil
	}
	return e.Engine.Evaluations(ctx, at, from, which)
}

// several are backlogs of several processes over one engine and one clock.
type several struct {
	list   []*Backlog
	engine *lagging
	clock  atomic.Int64
}

func newSeveral(t *testing.T, dsn string, n int) *several {
	t.Helper()
	s := &several{}
	s.clock.Store(storetest.Epoch.UnixNano())
	s.engine = &lagging{Engine: fake.New(s.now)}
	for range n {
		b, err := Open(openDB(t, dsn), s.engine, s.now)
		require.NoError(t, err)
		s.list = append(s.list, b)
	}
	return s
}

func (s *several) now() time.Time       { return time.Unix(0, s.clock.Load()).UTC() }
func (s *several) pass(d time.Duration) { s.clock.Add(int64(d)) }

func (s *several) lease(t *testing.T, of, limit int) []store.Evaluated {
	t.Helper()
	list, err := s.list[of].Lease(t.Context(), s.now(), s.now().Add(time.Minute), limit)
	require.NoError(t, err)
	return list
}

var env = storetest.Environment("prd")

// owes is a record of a span that has so many pending evaluations.
func owes(i int, evaluators ...string) store.Record {
	r := storetest.Record(env, storetest.Span(env, i))
	for _, e := range evaluators {
		r.Evaluations = append(r.Evaluations, storetest.Deferred("set_1", e, storetest.Epoch))
	}
	return r
}

// A lease outlives the process that has it, until it runs out, and is no other's
// meanwhile.
func TestLeasesOutliveTheProcess(t *testing.T) {
	t.Parallel()
	s := newSeveral(t, postgrestest.One(t).Schema(t), 2)
	require.NoError(t, storetest.Write(t.Context(), s.list[0], []store.Record{owes(1, "tone")}))
	require.Len(t, s.lease(t, 0, 10), 1)
	s.list[0].Close()
	require.Empty(t, s.lease(t, 1, 10))
	s.pass(time.Minute)
	require.Len(t, s.lease(t, 1, 10), 1)
}

// A killed process renews nothing, so another one takes its work over. It cannot renew
// what another process has since.
func TestALeaseIsRenewedByItsProcessAlone(t *testing.T) {
	t.Parallel()
	s := newSeveral(t, postgrestest.One(t).Schema(t), 3)
	require.NoError(t, storetest.Write(t.Context(), s.list[0], []store.Record{owes(1, "tone", "relevancy")}))
	list, first := s.lease(t, 0, 10), s.now().Add(time.Minute)
	require.Len(t, list, 1)
	s.pass(time.Minute - 1)
	require.NoError(t, s.list[0].Renew(t.Context(), list, first, s.now().Add(time.Minute)))
	s.pass(time.Minute - 1)
	require.Empty(t, s.lease(t, 1, 10))
	s.pass(1)
	require.Equal(t, list, s.lease(t, 1, 10), "the first process is heard of no more")
	require.NoError(t, s.list[0].Renew(t.Context(), list, s.now(), s.now().Add(time.Hour)), "of a lease that another one has")
	s.pass(time.Minute)
	require.Equal(t, list, s.lease(t, 2, 10))
}

// Workers of several processes lease, complete, put off and forget, while others
// write: no evaluation is leased twice, and each is done once.
func TestProcessesHoldApartWhatTheyLease(t *testing.T) {
	t.Parallel()
	postgrestest.Each(t, func(t *testing.T, server *postgrestest.Server) {
		const processes, spans = 3, 240
		s := newSeveral(t, server.Schema(t), processes)
		type held struct {
			store.Location
			evaluator string
		}
		var mu sync.Mutex
		has, done := map[held]bool{}, map[held]bool{}
		errs := make(chan error, 3*processes)
		var wg sync.WaitGroup
		for p, b := range s.list {
			wg.Go(func() {
				for i := p; i < spans; i += processes {
					if err := storetest.Write(t.Context(), b, []store.Record{owes(i, "tone", "relevancy")}); err != nil {
						errs <- err
						return
					}
				}
			})
			for w := range 2 {
				wg.Go(func() {
					errs <- work(t, s, b, rand.New(rand.NewPCG(uint64(p), uint64(w))), func(x store.Evaluated, take bool) string {
						mu.Lock()
						defer mu.Unlock()
						for _, v := range x.Evaluations {
							h := held{x.Location(), v.Evaluator}
							if take && (has[h] || done[h]) {
								return "leased twice, or after it was done"
							}
							has[h] = take
							if v.Status == eval.Done {
								done[h] = true
							}
						}
						if len(done) == 2*spans {
							return "all"
						}
						return ""
					})
				})
			}
		}
		wg.Wait()
		close(errs)
		for err := range errs {
			require.NoError(t, err)
		}
		stats, err := s.list[0].Stats(t.Context())
		require.NoError(t, err)
		require.Zero(t, stats)
	})
}

// work is one worker, which tells of what it takes and gives back.
func work(t *testing.T, s *several, b *Backlog, dice *rand.Rand, tell func(x store.Evaluated, take bool) string) error {
	for {
		now := time.Unix(0, s.clock.Add(int64(10*time.Millisecond)))
		list, err := b.Lease(t.Context(), now, now.Add(time.Hour), 5)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			if tell(store.Evaluated{}, false) == "all" {
				return nil
			}
			continue
		}
		for _, x := range list {
			if wrong := tell(x, true); wrong != "" && wrong != "all" {
				return fault.New(fault.Internal, "%s", wrong)
			}
		}
		switch dice.IntN(4) {
		case 0: // the process has no time for it
			for _, x := range list {
				tell(x, false)
			}
			err = b.Release(t.Context(), list, time.Time{})
		default:
			for i := range list {
				for j, v := range list[i].Evaluations {
					list[i].Evaluations[j] = storetest.Judged(v, now)
					if dice.IntN(4) == 0 {
						list[i].Evaluations[j] = storetest.PutOff(v, "again", now.Add(30*time.Millisecond))
					}
				}
				tell(list[i], false)
			}
			err = b.Complete(t.Context(), list)
		}
		if err != nil {
			return err
		}
	}
}

// What the engine does not know yet is asked for again, later and later, and never
// given up before the span's retention ends.
func TestASpanThatIsNotFoundIsPutOff(t *testing.T) {
	t.Parallel()
	s := newSeveral(t, postgrestest.One(t).Schema(t), 1)
	require.NoError(t, storetest.Write(t.Context(), s.list[0], []store.Record{owes(1, "tone")}))
	s.engine.blind.Store(true)
	asked := func() bool {
		before := s.engine.reads.Load()
		require.Empty(t, s.lease(t, 0, 10))
		return s.engine.reads.Load() > before
	}
	require.True(t, asked())
	for _, wait := range []time.Duration{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600} {
		s.pass(wait*time.Second - 1)
		require.False(t, asked(), "%d s", wait)
		s.pass(1)
		require.True(t, asked(), "%d s", wait)
	}
	s.engine.blind.Store(false)
	s.pass(longestMiss)
	require.Len(t, s.lease(t, 0, 10), 1, "it is there now")

	s.engine.blind.Store(true)
	s.pass(env.Retention)
	require.Empty(t, s.lease(t, 0, 10))
	stats, err := s.list[0].Stats(t.Context())
	require.NoError(t, err)
	require.Zero(t, stats, "past the retention nothing is pending")
}

// A process that ended between the engine and the queue: a verdict that is there is
// not made again, and what is deferred is put into the queue by a sweep.
func TestWhatACrashLeftIsMadeGood(t *testing.T) {
	t.Parallel()
	s := newSeveral(t, postgrestest.One(t).Schema(t), 2)
	b := s.list[0]
	require.NoError(t, storetest.Write(t.Context(), b, []store.Record{owes(1, "tone"), owes(2, "tone")}))
	list := s.lease(t, 0, 1)
	list[0].Evaluations[0] = storetest.Judged(list[0].Evaluations[0], s.now())
	_, err := s.engine.Write(t.Context(), store.Batch{Evaluations: list}) // and the process ends
	require.NoError(t, err)
	s.pass(time.Minute)
	require.Len(t, s.lease(t, 1, 10), 1, "the other one")
	stats, err := s.list[1].Stats(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, stats.Evaluations)

	_, err = s.engine.Write(t.Context(), store.Batch{Records: []store.Record{owes(3, "tone", "relevancy"), owes(4)}})
	require.NoError(t, err)
	require.Empty(t, s.lease(t, 1, 10))
	n, err := b.Sweep(t.Context(), -1<<63, storetest.Epoch.UnixNano())
	require.NoError(t, err)
	require.Zero(t, n, "what is due later may be on its way")
	n, err = b.Sweep(t.Context(), -1<<63, s.now().UnixNano())
	require.NoError(t, err)
	require.Positive(t, n)
	list = s.lease(t, 1, 10)
	require.Len(t, list, 1, "what is leased stays so")
	require.Len(t, list[0].Evaluations, 2)
}

// What one process stores that is pending and due wakes the others; what falls due later wakes
// none.
func TestOtherProcessesAreWoken(t *testing.T) {
	t.Parallel()
	postgrestest.Each(t, func(t *testing.T, server *postgrestest.Server) {
		s := newSeveral(t, server.Schema(t), 2)
		writes, hears := s.list[0], s.list[1]
		ctx, cancel := context.WithCancel(t.Context())
		var listening sync.WaitGroup
		listening.Go(func() { hears.Listen(ctx) })
		defer listening.Wait()
		defer cancel()
		woken := func(why string) {
			select {
			case <-hears.Added():
			case <-time.After(time.Minute):
				require.Fail(t, "none is woken", why)
			}
		}
		woken("by beginning to listen, since what was before is not heard")
		for n := range 3 {
			require.NoError(t, storetest.Write(t.Context(), writes, []store.Record{owes(n, "tone")}))
			woken("by what was stored")
			require.Len(t, s.lease(t, 1, 10), 1)
		}
		writes.others.wg.Wait()
		later := storetest.Deferred("set_1", "tone", s.now().Add(time.Hour))
		require.NoError(t, storetest.Write(t.Context(), writes, []store.Record{storetest.Record(env, storetest.Span(env, 10), later)}))
		require.Nil(t, writes.others.timer, "nothing to announce")
		require.NoError(t, storetest.Write(t.Context(), writes, []store.Record{owes(11)}))
		writes.Close()
		require.Nil(t, writes.others.timer, "nothing left to announce")
	})
}

// Where the database is away, spans without pending evaluations go in all the same, and
// others are refused for a while and are pending once when they are sent again.
func TestTheDatabaseMayBeAway(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t)
	s := newSeveral(t, server.Database(t), 1)
	b := s.list[0]
	server.Stop(t)
	require.NoError(t, storetest.Write(t.Context(), b, []store.Record{owes(1)}))
	for range 2 {
		require.Equal(t, fault.Unavailable, fault.KindOf(storetest.Write(t.Context(), b, []store.Record{owes(2, "tone")})))
	}
	_, err := b.Lease(t.Context(), s.now(), s.now().Add(time.Minute), 10)
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	server.Continue(t)
	require.NoError(t, storetest.Write(t.Context(), b, []store.Record{owes(2, "tone")}))
	require.Len(t, s.lease(t, 0, 10), 1)
	require.Empty(t, s.lease(t, 0, 10))
}

// Money that several processes spend is reserved by all of them together.
func TestProcessesShareABudget(t *testing.T) {
	t.Parallel()
	const processes, spans, limit, price, most = 3, 60, 5.0, 0.25, 20
	s := newSeveral(t, postgrestest.One(t).Schema(t), processes)
	var records []store.Record
	for i := range spans {
		records = append(records, owes(i, "tone"))
	}
	require.NoError(t, storetest.Write(t.Context(), s.list[0], records))
	pay := func(x store.Evaluated) []store.Evaluated {
		x.Evaluations[0] = storetest.Judged(x.Evaluations[0], storetest.Epoch)
		x.Evaluations[0].Usage.Cost = price
		return []store.Evaluated{x}
	}
	require.NoError(t, s.list[0].Complete(t.Context(), pay(s.lease(t, 0, 1)[0])))
	budget := store.Budget{Environment: env.ID, Setup: "set_1", Since: storetest.Epoch.Add(-time.Hour), Limit: limit}
	var granted atomic.Int64
	granted.Add(1)
	var wg sync.WaitGroup
	errs := make(chan error, spans)
	for p, b := range s.list {
		for _, x := range s.lease(t, p, (spans-1)/processes+1) {
			wg.Go(func() {
				got, err := b.Reserve(t.Context(), budget, x.Location(), "tone")
				if err == nil && got == store.Granted {
					granted.Add(1)
					err = b.Complete(t.Context(), pay(x))
				}
				errs <- err
			})
		}
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	require.EqualValues(t, most, granted.Load())
}

func TestSQLiteIsNotShared(t *testing.T) {
	t.Parallel()
	db, err := sqldb.Open(t.Context(), sqldb.Config{Path: filepath.Join(t.TempDir(), "control.db")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	_, err = Open(db, fake.New(time.Now), time.Now)
	require.ErrorContains(t, err, "needs PostgreSQL")
}

// Clocks of processes that disagree cost time, or a model that is asked twice, and never a
// verdict: a worker that is ahead takes what another is at work on for left behind, and the
// verdict that is there first stays; one that is behind has nothing to do before its own
// clock says so.
func TestClocksThatDisagree(t *testing.T) {
	t.Parallel()
	s := newSeveral(t, postgrestest.One(t).Schema(t), 2)
	require.NoError(t, storetest.Write(t.Context(), s.list[0], []store.Record{owes(1, "tone")}))
	const by = 10 * time.Minute
	at := func(now time.Time) []store.Evaluated {
		list, err := s.list[1].Lease(t.Context(), now, now.Add(time.Minute), 10)
		require.NoError(t, err)
		return list
	}
	require.Empty(t, at(s.now().Add(-by)))
	mine, ahead := s.lease(t, 0, 10), at(s.now().Add(by))
	require.Len(t, mine, 1)
	require.Len(t, ahead, 1)
	complete := func(b *Backlog, list []store.Evaluated, now time.Time) {
		for i, v := range list[0].Evaluations {
			list[0].Evaluations[i] = storetest.Judged(v, now)
		}
		require.NoError(t, b.Complete(t.Context(), list))
	}
	complete(s.list[1], ahead, s.now().Add(by))
	complete(s.list[0], mine, s.now())
	found, err := s.engine.Evaluations(t.Context(), []store.Location{mine[0].Location()}, math.MinInt64, store.AllRevisions)
	require.NoError(t, err)
	require.Len(t, found[0].Evaluations, 1)
	require.Zero(t, found[0].Evaluations[0].Revision)
	require.Equal(t, s.now().Add(by).UnixNano(), found[0].Evaluations[0].Time, "which came first")
	stats, err := s.list[0].Stats(t.Context())
	require.NoError(t, err)
	require.Zero(t, stats)
}
