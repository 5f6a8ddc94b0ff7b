// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/pace"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// leaser leases pending evaluations and hands them to the pipeline, a few leases at a
// time. One goroutine leases, so that rate and money are looked after in one
// place; of each lease each environment then has one of its own, so that none
// waits for the models of another.
type leaser struct {
	receiver *backlogReceiver
	work     context.Context //nolint:containedctx // of what is in the pipeline, which outlives the leasing
	workers  chan struct{}
	// reserve are as many workers again, for environments of which nothing is in
	// the pipeline while all others are at work.
	reserve chan struct{}
	limiter *pace.Common // nil for no limit; nothing is leased while this waits
	backoff *backoff
	rounds  sync.WaitGroup
	// woken says that the next lease is made because something was added, and looked is
	// when the last one began that was, or that found something.
	woken  bool
	looked time.Time

	mu   sync.Mutex
	busy map[tenant.EnvironmentID]int // leases in the pipeline
}

func newLeaser(work context.Context, r *backlogReceiver) *leaser {
	var limiter *pace.Common
	if r.cfg.Rate > 0 {
		limiter = pace.NewCommon(pace.SecondRate(r.cfg.Rate), r.paces, "backlog")
	}
	return &leaser{
		receiver: r, work: work, workers: make(chan struct{}, r.cfg.Workers), reserve: make(chan struct{}, r.cfg.Workers),
		limiter: limiter, backoff: newBackoff(r.cfg.Batch, r.firstPause), busy: map[tenant.EnvironmentID]int{},
	}
}

// run leases until ctx ends, and returns when the pipeline has given back all
// that was leased.
func (l *leaser) run(ctx context.Context) {
	defer l.rounds.Wait()
	for {
		worker, ok := l.await(ctx)
		if !ok {
			return
		}
		batch, ok := l.pause(ctx)
		if !ok {
			return
		}
		begun := l.receiver.now()
		var but []tenant.EnvironmentID
		if worker == l.reserve {
			but = l.busyOnes()
		}
		items := l.lease(ctx, begun, batch, but)
		if len(items) == 0 {
			<-worker
			continue
		}
		l.start(begun, items, worker)
	}
}

// spacing is the time from one look at pending evaluations to the next that is made because
// something was added, at least: the pending evaluations of many spans go in few leases, each of which
// reads and writes the store. It is poll_interval where that is shorter.
const spacing = 100 * time.Millisecond

// await waits for a free worker: any, or one of the reserve as often as nothing that is
// pending would be looked for. It reports false when ctx has ended.
func (l *leaser) await(ctx context.Context) (worker chan struct{}, ok bool) {
	look := time.NewTimer(l.receiver.cfg.PollInterval)
	defer look.Stop()
	for {
		select {
		case l.workers <- struct{}{}:
			return l.workers, true
		case <-ctx.Done():
			return nil, false
		case <-l.receiver.backlog.Added():
			look.Reset(l.spaced())
			continue
		case <-look.C:
			look.Reset(l.receiver.cfg.PollInterval)
		}
		// One may have become free in the moment in which the time was over.
		for _, workers := range []chan struct{}{l.workers, l.reserve} {
			select {
			case workers <- struct{}{}:
				return workers, true
			default:
			}
		}
	}
}

// rest waits, when nothing was pending, until something is added or poll_interval is over.
func (l *leaser) rest(ctx context.Context) {
	look := time.NewTimer(l.receiver.cfg.PollInterval)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.receiver.backlog.Added():
			look.Reset(l.spaced())
		case <-look.C:
			return
		}
	}
}

// spaced returns how long to wait now that something was added.
func (l *leaser) spaced() time.Duration {
	l.woken = true
	return l.looked.Add(min(spacing, l.receiver.cfg.PollInterval)).Sub(l.receiver.now())
}

// pause waits until rate and back-off allow a lease, of so many spans. It reports
// false when ctx has ended.
func (l *leaser) pause(ctx context.Context) (batch int, ok bool) {
	for {
		now := l.receiver.now()
		batch, wait := l.backoff.next(now)
		if wait <= 0 {
			wait = l.limiter.Wait(ctx, now)
		}
		if wait <= 0 {
			return l.limiter.Most(batch), ctx.Err() == nil
		}
		if pace.Sleep(ctx, wait) != nil {
			return 0, false
		}
	}
}

// start delivers the items of each environment by themselves. The worker is free when
// all of them are through.
func (l *leaser) start(begun time.Time, items []item, worker chan struct{}) {
	var through sync.WaitGroup
	for _, own := range byEnvironment(items) {
		env := own[0].Environment
		l.note(env, 1)
		through.Go(func() {
			defer l.note(env, -1)
			l.deliver(begun, own)
		})
	}
	l.rounds.Go(func() {
		through.Wait()
		<-worker
	})
}

// note counts a lease of an environment that enters the pipeline or leaves it.
func (l *leaser) note(env tenant.EnvironmentID, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy[env] += n; l.busy[env] == 0 {
		delete(l.busy, env)
	}
}

// busyOnes returns the environments of which something is in the pipeline.
func (l *leaser) busyOnes() []tenant.EnvironmentID {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Keys(l.busy))
}

// lease returns what is to be judged, of all environments but some. When nothing is pending
// it takes the time that is to pass before the next look.
func (l *leaser) lease(ctx context.Context, begun time.Time, batch int, but []tenant.EnvironmentID) []item {
	owed, err := l.receiver.backlog.Lease(ctx, begun, begun.Add(l.receiver.cfg.Lease), batch, but...)
	if l.woken || len(owed) > 0 {
		l.woken, l.looked = false, begun
	}
	if err != nil {
		l.failed(ctx, begun, "failed to lease pending evaluations", err)
		return nil
	}
	if len(owed) == 0 {
		if len(but) == 0 {
			l.rest(ctx) // the loop sees the end of ctx itself
		}
		return nil
	}
	items, err := newTriage(l.receiver, begun).run(l.work, owed)
	if err != nil {
		l.failed(ctx, begun, "failed to look through pending evaluations", err)
		l.release(owed)
		return nil
	}
	if len(items) == 0 {
		return nil
	}
	l.limiter.Take(l.work, begun, countEvaluations(items)) // a debt that runs off before the next lease
	return items
}

// deliver takes what was leased of one environment through the pipeline.
func (l *leaser) deliver(begun time.Time, items []item) {
	ctx, cancel := context.WithTimeout(l.work, begun.Add(l.receiver.cfg.Timeout).Sub(l.receiver.now()))
	defer cancel()
	defer l.renew(ctx, cancel, begun.Add(l.receiver.cfg.Lease), owedOf(items))()
	batches, err := l.receiver.load(ctx, items)
	if err != nil {
		l.failed(l.work, begun, "failed to read spans of pending evaluations", err)
		l.release(owedOf(items))
		return
	}
	for i := range batches {
		if err := l.receiver.send(ctx, batches[i].traces); err != nil {
			l.refused(begun, batches[i:], ctx.Err() != nil, err)
			return
		}
	}
	if l.backoff.done(begun) {
		l.receiver.log.Info("the pipeline accepts pending evaluations again")
	}
}

// renewals is how often a lease is renewed before it would end.
const renewals = 3

// renew extends a lease that ends at until, until stop is called or ctx ends. Where it
// cannot be renewed before it ends it calls cancel: another process may have it then.
func (l *leaser) renew(ctx context.Context, cancel context.CancelFunc, until time.Time, owed []store.Evaluated) (stop func()) {
	ctx, end := context.WithCancel(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		tick := time.NewTicker(l.receiver.cfg.Lease / renewals)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			next := l.receiver.now().Add(l.receiver.cfg.Lease)
			switch err := l.renewOnce(ctx, owed, until, next); {
			case err == nil:
				until = next
			case ctx.Err() == nil && !l.receiver.now().Before(until):
				l.receiver.log.Warn("failed to renew a lease of pending evaluations before it ended, their requests are canceled", zap.Error(err))
				cancel()
				return
			}
		}
	})
	return func() {
		end()
		renewing.Wait()
	}
}

// renewOnce waits no longer for the store than until the next renewal.
func (l *leaser) renewOnce(ctx context.Context, owed []store.Evaluated, held, until time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, l.receiver.cfg.Lease/renewals)
	defer cancel()
	return l.receiver.backlog.Renew(ctx, owed, held, until)
}

// refused reschedules or releases the batches of a lease of which the pipeline
// refused the first; late says that its time ran out.
func (l *leaser) refused(begun time.Time, rest []batch, late bool, err error) {
	first := rest[0].items
	// A span that fails alone must not keep the others waiting.
	alone := len(first) == 1 && (late || consumererror.IsPermanent(err))
	if alone && l.work.Err() == nil && l.reschedule(first) {
		rest = rest[1:]
	}
	l.failed(l.work, begun, "the pipeline refused pending evaluations", err)
	for _, f := range rest {
		l.release(owedOf(f.items))
	}
}

// Waits of a span that the pipeline does not take by itself.
const (
	firstReschedule   = time.Minute
	longestReschedule = 10 * time.Minute
)

// reasonRefused is the reason of evaluations of such a span.
const reasonRefused = "the pipeline that judges spans did not take this one"

// reschedule makes evaluations wait, each time longer, and reports whether that
// was stored.
func (l *leaser) reschedule(items []item) bool {
	var made []store.Evaluated
	for i := range items {
		list := make([]eval.Evaluation, len(items[i].Evaluations))
		for j, e := range items[i].Evaluations {
			e.Attempts++
			wait := pace.Doubled(firstReschedule, longestReschedule, e.Attempts)
			e.Reason, e.Due = reasonRefused, l.receiver.now().Add(wait).UnixNano()
			list[j] = e
		}
		made = append(made, store.Evaluated{Environment: items[i].Environment, Span: items[i].Span, Content: items[i].Content, Evaluations: list})
	}
	if err := l.receiver.backlog.Complete(l.work, made); err != nil {
		return false
	}
	l.receiver.metrics.countCompleted(l.work, completedRefused, countEvaluations(items))
	return true
}

// releaseTimeout bounds the release of leases, which needs no I/O.
const releaseTimeout = 5 * time.Second

// release returns leases back, also when everything else has been cancelled. What
// cannot be released runs out.
func (l *leaser) release(owed []store.Evaluated) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.work), releaseTimeout)
	defer cancel()
	if err := l.receiver.backlog.Release(ctx, owed, time.Time{}); err != nil {
		l.receiver.log.Warn("leases could not be released and run out", zap.Error(err))
	}
}

// failed notes an error of a lease begun then, and logs it. It comes before the lease is
// released: what is free again is not to be leased again before the pause is known.
func (l *leaser) failed(ctx context.Context, begun time.Time, what string, err error) {
	if ctx.Err() != nil {
		return // shutdown is no failure
	}
	if l.backoff.failed(begun, l.receiver.now()) {
		l.receiver.log.Warn(what+", will retry", zap.Error(err))
		return
	}
	l.receiver.log.Debug(what, zap.Error(err))
}
