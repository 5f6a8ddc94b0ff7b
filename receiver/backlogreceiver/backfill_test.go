// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// backfill asks for one of everything that is there.
func (h *testbed) backfill(s monitor.Setup, change func(*monitor.Backfill)) monitor.Backfill {
	h.t.Helper()
	b := storetest.NewBackfill(s, "job of "+s.ExternalID)
	b.CreatedAt = time.Now().UTC()
	b.From, b.To = 0, b.CreatedAt.Add(time.Hour).UnixNano()
	if change != nil {
		change(&b)
	}
	require.NoError(h.t, store.Backfills(h.live).Create(h.t.Context(), b))
	return b
}

func (h *testbed) job(b monitor.Backfill) monitor.Backfill {
	h.t.Helper()
	got, err := store.Backfills(h.live).Get(h.t.Context(), b.EnvironmentID, b.ID)
	require.NoError(h.t, err)
	return got
}

func (h *testbed) awaitJob(b monitor.Backfill, want monitor.BackfillStatus) (got monitor.Backfill) {
	h.t.Helper()
	require.Eventually(h.t, func() bool {
		got = h.job(b)
		return got.Status == want
	}, patience, 2*time.Millisecond, "the backfill is not %s", want)
	return got
}

// store stores n spans, of which every second one is in round two.
func (h *testbed) store(n int) {
	h.t.Helper()
	records := make([]store.Record, n)
	for i := range n {
		s := h.newSpan(i)
		if i%2 == 1 {
			s.Attributes = span.NewAttributes([]span.Attribute{{Key: "round", Value: "two"}})
		}
		records[i] = store.Record{Environment: h.env, Span: s}
	}
	require.NoError(h.t, storetest.Write(h.t.Context(), h.real, records))
}

func roundTwo(s *monitor.Setup) {
	two := "two"
	s.Selector = monitor.Selector{{Key: "round", Value: &two, Source: monitor.SpanAttributes, Operator: query.OpEquals}}
}

// sent collects what went through a pipeline.
type sent struct {
	mu      sync.Mutex
	batches [][]int
	last    ptrace.Traces
}

func (s *sent) take(_ context.Context, td ptrace.Traces) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batches = append(s.batches, numbers(td))
	s.last = td
	return nil
}

func (s *sent) all() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Concat(s.batches...)
}

func backfillConfig(page int) *Config {
	cfg := testConfig()
	cfg.Backfill.Page = page
	cfg.Backfill.Share = 1
	return cfg
}

func TestBackfillSendsMatchingSpansOfItsPeriod(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	h.store(25)
	s := h.setup("m", roundTwo, "char-count")
	var got sent
	b := h.backfill(s, func(b *monitor.Backfill) {
		b.From, b.To = h.base+3, h.base+20
		b.Decided = map[string]eval.Backend{"char-count": eval.Deterministic}
	})
	h.start(backfillConfig(10), got.take)
	job := h.awaitJob(b, monitor.BackfillCompleted)
	seen := got.all()
	require.Equal(t, []int{3, 5, 7, 9, 11, 13, 15, 17, 19}, seen)
	require.EqualValues(t, 9, job.Matched)
	require.EqualValues(t, 18, job.Seen)
	require.EqualValues(t, 18, job.Total)
	require.Empty(t, job.Position)
	require.Empty(t, job.ErrorMessage)
	require.WithinDuration(t, time.Now(), job.UpdatedAt, time.Minute)
	require.Equal(t, job.Seen, h.counted("touchstone_backfill_spans", ""))

	rs := got.last.ResourceSpans().At(0)
	resource := rs.Resource().Attributes().AsRaw()
	require.Equal(t, string(h.env.ID), resource[tenant.AttributeEnvironmentID])
	require.Equal(t, true, resource[tenant.AttributeDeferred])
	require.Equal(t, true, resource[tenant.AttributeBackfill])
	setups, _, err := monitor.CarriedSetups(rs.Resource().Attributes())
	require.NoError(t, err)
	require.Len(t, setups, 1)
	require.Equal(t, s.ID, setups[0].ID)
	require.Equal(t, eval.Deterministic, setups[0].Evaluators[0].Decided)
	require.Empty(t, monitor.Carried(rs.ScopeSpans().At(0).Spans().At(0).Attributes()))
}

func TestBackfillLeavesLaterSpansToTheLivePath(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	h.store(4)
	s := h.setup("m", nil, "char-count")
	late := h.newSpan(9)
	late.Start = time.Now().Add(time.Minute).UnixNano()
	h.write(late)
	var got sent
	b := h.backfill(s, nil)
	h.start(backfillConfig(10), got.take)
	require.EqualValues(t, 4, h.awaitJob(b, monitor.BackfillCompleted).Total)
	require.Equal(t, []int{0, 1, 2, 3}, got.all())
}

func TestBackfillOfNothingIsCompleted(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	b := h.backfill(h.setup("m", nil, "char-count"), nil)
	h.start(backfillConfig(10), nothingIsToCome(t))
	job := h.awaitJob(b, monitor.BackfillCompleted)
	require.Zero(t, job.Total)
	require.Zero(t, job.Seen)
}

// A restart goes on where the last page ended.
func TestBackfillGoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	h.store(40)
	b := h.backfill(h.setup("m", nil, "char-count"), nil)
	var got sent
	var pages atomic.Int64
	at := make(chan struct{})
	cfg := backfillConfig(10)
	cfg.ShutdownGrace = 0
	stop := h.start(cfg, func(ctx context.Context, td ptrace.Traces) error {
		if pages.Add(1) == 3 {
			close(at)
			<-ctx.Done()
			return ctx.Err()
		}
		return got.take(ctx, td)
	})
	<-at
	stop()
	job := h.job(b)
	require.Equal(t, monitor.BackfillRunning, job.Status)
	require.EqualValues(t, 20, job.Seen)
	require.EqualValues(t, 40, job.Total)
	require.NotEmpty(t, job.Position)

	h.start(cfg, got.take)
	job = h.awaitJob(b, monitor.BackfillCompleted)
	require.EqualValues(t, 40, job.Seen)
	require.EqualValues(t, 40, job.Matched)
	want := make([]int, 40)
	for i := range want {
		want[i] = i
	}
	require.Equal(t, want, got.all())
}

func TestBackfillThatIsCancelledEnds(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	h.store(40)
	for name, end := range map[string]func(t *testing.T, b monitor.Backfill){
		"by its user": func(t *testing.T, b monitor.Backfill) {
			now := h.job(b)
			now.Status = monitor.BackfillCancelled
			_, err := store.Backfills(h.live).Replace(t.Context(), now)
			require.NoError(t, err)
		},
		"with its setup": func(t *testing.T, b monitor.Backfill) {
			require.NoError(t, store.Setups(h.live).Delete(t.Context(), h.env.ID, b.SetupID))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := h.setup("ended "+name, nil, "char-count")
			b := h.backfill(s, func(b *monitor.Backfill) { b.ID = name })
			next := h.setup("next to "+name, roundTwo, "char-count")
			var got sent
			var once sync.Once
			stop := h.start(backfillConfig(10), func(ctx context.Context, td ptrace.Traces) error {
				once.Do(func() { end(t, b) })
				return got.take(ctx, td)
			})
			later := h.backfill(next, nil)
			h.awaitJob(later, monitor.BackfillCompleted)
			stop()
			require.Len(t, got.all(), 10+20, "one page, and then the next backfill")
			left, err := store.Backfills(h.live).Filter(t.Context(), store.DocumentFilter{Environment: h.env.ID, Parent: s.ID})
			require.NoError(t, err)
			for _, x := range left {
				require.Equal(t, monitor.BackfillCancelled, x.Status)
			}
		})
	}
}

// A setup that is gone without its backfills, in an engine that lost half of a
// deletion, cancels them.
func TestBackfillOfASetupThatIsGoneIsCancelled(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	h.store(2)
	r := h.newReceiver(testConfig(), nothingIsToCome(t))
	r.spans, r.live = h.real, h.live
	s := h.setup("m", nil, "char-count")
	b := h.backfill(s, nil)
	elsewhere := b
	elsewhere.SetupID = "gone"
	f := newBackfiller(t.Context(), r)
	env, setup, err := f.subject(t.Context(), &elsewhere)
	require.NoError(t, err)
	require.Equal(t, h.env, env)
	require.Nil(t, setup)
	elsewhere.EnvironmentID = "nowhere"
	_, setup, err = f.subject(t.Context(), &elsewhere)
	require.NoError(t, err)
	require.Nil(t, setup)
}

func TestBackfillWithoutAPlaceFails(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	h.store(2)
	b := h.backfill(h.setup("m", nil, "char-count"), func(b *monitor.Backfill) { b.Status, b.Position = monitor.BackfillRunning, "17" })
	h.start(backfillConfig(10), nothingIsToCome(t))
	require.Equal(t, "the position of the backfill is damaged", h.awaitJob(b, monitor.BackfillFailed).ErrorMessage)
}

func TestBackfillTriesAPageAgain(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	h.store(20)
	b := h.backfill(h.setup("m", nil, "char-count"), nil)
	var got sent
	var calls, finds atomic.Int64
	f := &front{Engine: h.real.Engine, Backlog: h.real.Backlog, find: func(ctx context.Context, env tenant.Environment, q query.Query) (query.Page, error) {
		if n := finds.Add(1); n == 1 || n == 3 {
			return query.Page{}, errors.New("the disk is slow")
		}
		return h.real.Search(ctx, env, q)
	}}
	h.spans = f
	h.start(backfillConfig(10), func(ctx context.Context, td ptrace.Traces) error {
		if calls.Add(1) == 2 {
			return errors.New("no connection")
		}
		return got.take(ctx, td)
	})
	require.EqualValues(t, 20, h.awaitJob(b, monitor.BackfillCompleted).Seen)
	require.Len(t, got.all(), 20)
	require.NotZero(t, h.logs.FilterMessageSnippet("backfill").Len())
}

// A span that no pipeline takes is left to the backlog, and the rest is judged.
func TestBackfillLeavesPoisonToTheBacklog(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	h.store(8)
	s := h.setup("m", nil, "char-count", "word-count")
	b := h.backfill(s, func(b *monitor.Backfill) { b.Decided = map[string]eval.Backend{"char-count": eval.Deterministic} })
	const poison = 5
	var got sent
	h.start(backfillConfig(4), func(ctx context.Context, td ptrace.Traces) error {
		if slices.Contains(numbers(td), poison) {
			return consumererror.NewPermanent(errors.New("too large"))
		}
		return got.take(ctx, td)
	})
	require.EqualValues(t, 8, h.awaitJob(b, monitor.BackfillCompleted).Matched)
	require.Equal(t, []int{0, 1, 2, 3, 4, 6, 7}, got.all())
	list := h.evaluations(poison)
	require.Len(t, list, 2)
	for _, e := range list {
		require.Equal(t, eval.Deferred, e.Status)
		require.Equal(t, reasonRefused, e.Reason)
		require.Greater(t, e.Due, time.Now().UnixNano())
		require.Equal(t, b.Decided[e.Evaluator], e.Backend)
	}
}

// Of two processes on one store one works on a backfill, for as long as it
// lives; meanwhile the other works on the next.
func TestBackfillIsOneProcessAlone(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	h.backfillLease, h.backfillRenewal = time.Hour, 10*time.Millisecond
	h.store(60)
	b := h.backfill(h.setup("m", nil, "char-count"), nil)
	var first, second sent
	at, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	h.start(backfillConfig(10), func(ctx context.Context, td ptrace.Traces) error {
		if len(first.all()) == 20 {
			once.Do(func() { close(at) })
			<-goOn
		}
		return first.take(ctx, td)
	})
	<-at
	held := h.job(b)
	h.start(backfillConfig(10), second.take)
	next := h.backfill(h.setup("next", roundTwo, "char-count"), nil)
	h.awaitJob(next, monitor.BackfillCompleted)
	require.Eventually(t, func() bool { return h.job(b).LeasedUntil.After(held.LeasedUntil.Add(100 * time.Millisecond)) }, patience, time.Millisecond,
		"the lease is renewed while a page takes long")
	require.Len(t, second.all(), 30, "those of the next one")
	close(goOn)
	h.awaitJob(b, monitor.BackfillCompleted)
	require.Len(t, first.all(), 60)
	require.Empty(t, h.job(b).Owner)
	require.Zero(t, h.job(b).LeasedUntil)
}

// A backfill whose owner is not heard of any more goes to another process when its lease
// has run out, and not before.
func TestAbandonedBackfillsAreFound(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	b := h.backfill(h.setup("m", nil, "char-count"), nil)
	now := time.Now()
	processes := make([]*backfiller, 2)
	for i := range processes {
		r := h.newReceiver(createDefaultConfig().(*Config), nothingIsToCome(t))
		r.spans, r.live = h.real, h.live
		r.now = func() time.Time { return now }
		processes[i] = newBackfiller(t.Context(), r)
	}
	taken := func(f *backfiller) *monitor.Backfill {
		t.Helper()
		job, err := f.take(t.Context())
		require.NoError(t, err)
		return job
	}
	mine, other := processes[0], processes[1]
	seen := taken(other)
	require.NotNil(t, seen)
	job, err := mine.claim(t.Context(), *taken(mine))
	require.NoError(t, err)
	require.Nil(t, taken(other), "another process works on it")
	require.NotNil(t, taken(mine), "one knows one's own")
	_, err = other.claim(t.Context(), *seen)
	require.True(t, fault.Is(err, fault.Conflict), "of two that take it at once one is second")
	now = now.Add(backfillLease - 1)
	require.Nil(t, taken(other))
	now = now.Add(1)
	_, err = other.claim(t.Context(), *taken(other))
	require.NoError(t, err)
	_, err = mine.page(t.Context(), job, 10)
	require.True(t, fault.Is(err, fault.Conflict), "who was away for so long gives way")
	require.Nil(t, taken(mine))
	require.Equal(t, 3*time.Second, mine.rest(time.Second), "a quarter of the time")
	require.Equal(t, monitor.BackfillRunning, h.job(b).Status)
}

// Where no other process can have the store open, one that was killed goes on at once when it
// is started again.
func TestBackfillGoesOnAtOnceInTheOnlyProcess(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	h.backfill(h.setup("m", nil, "char-count"), nil)
	start := func() *backfiller {
		r := h.newReceiver(createDefaultConfig().(*Config), nothingIsToCome(t))
		r.spans, r.live, r.backlog, r.owner = h.real, h.live, h.backlog, "the only one"
		return newBackfiller(t.Context(), r)
	}
	killed := start()
	job, err := killed.take(t.Context())
	require.NoError(t, err)
	_, err = killed.claim(t.Context(), *job)
	require.NoError(t, err)

	again := start()
	job, err = again.take(t.Context())
	require.NoError(t, err)
	require.NotNil(t, job)
	_, err = again.claim(t.Context(), *job)
	require.NoError(t, err)
}

func TestBackfillWaitsForAControlStoreThatIsAway(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	r := h.newReceiver(testConfig(), nothingIsToCome(t))
	control := h.openControl()
	live, err := cache.New(t.Context(), control)
	require.NoError(t, err)
	require.NoError(t, control.Close())
	r.spans, r.live = h.real, live
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var done sync.WaitGroup
	done.Go(func() { newBackfiller(ctx, r).run(ctx) })
	require.Eventually(t, func() bool { return h.logs.FilterMessageSnippet("cannot be looked for").Len() == 1 }, patience, time.Millisecond)
	cancel()
	done.Wait()
}

// One environment's jobs are long, another's comes last and is short: it does not
// wait for them.
func TestBackfillsOfEnvironmentsTakeTurns(t *testing.T) {
	t.Parallel()
	h := newTestbed(t)
	h.store(60)
	long := []monitor.Backfill{h.backfill(h.setup("m", nil, "char-count"), nil), h.backfill(h.setup("n", nil, "char-count"), nil)}
	org, keys := storetest.NewOrganization("other", "prd")
	require.NoError(t, h.live.CreateOrganization(t.Context(), org, keys))
	theirs := *h
	theirs.env = keys[0].Environment
	theirs.store(1)
	short := theirs.backfill(theirs.setup("theirs", nil, "char-count"), nil)

	seen := make(chan struct{}) // until when few pages of the long ones are done
	var pages atomic.Int64
	r := h.newReceiver(backfillConfig(1), func(ctx context.Context, td ptrace.Traces) error {
		whose, _ := td.ResourceSpans().At(0).Resource().Attributes().Get(tenant.AttributeEnvironmentID)
		if whose.Str() == string(h.env.ID) && pages.Add(1) > 10 {
			select {
			case <-seen:
			case <-ctx.Done():
			}
		}
		return ctx.Err()
	})
	r.backfillTurn = time.Nanosecond // one page
	require.NoError(t, r.Start(t.Context(), h))
	defer func() { require.NoError(t, r.Shutdown(context.WithoutCancel(t.Context()))) }()
	theirs.awaitJob(short, monitor.BackfillCompleted)
	for _, b := range long {
		require.False(t, h.job(b).Status.Over(), "it is not over yet")
	}
	close(seen)
	for _, b := range long {
		require.EqualValues(t, 60, h.awaitJob(b, monitor.BackfillCompleted).Seen)
	}
}
