// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/pace"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// leaser leases what is owed and hands it to the pipeline, a few leases at a
// time. One goroutine leases, so that rate and money are looked after in one
// place; each lease then has one of its own.
type leaser struct {
	*backlogReceiver
	work    context.Context //nolint:containedctx // of what is in the pipeline, which outlives the leasing
	slots   chan struct{}
	limiter *pace.Bucket // nil for no limit; nothing is leased while this waits
	backoff *backoff
	rounds  sync.WaitGroup
}

func newLeaser(work context.Context, r *backlogReceiver) *leaser {
	return &leaser{
		backlogReceiver: r, work: work, slots: make(chan struct{}, r.cfg.Workers),
		limiter: pace.PerSecond(r.cfg.Rate), backoff: newBackoff(r.cfg.Batch, r.firstPause),
	}
}

// run leases until ctx ends, and returns when the pipeline has given back all
// that was leased.
func (l *leaser) run(ctx context.Context) {
	defer l.rounds.Wait()
	for {
		batch, ok := l.await(ctx)
		if !ok {
			return
		}
		begun := l.now()
		items := l.lease(ctx, begun, batch)
		if len(items) == 0 {
			<-l.slots
			continue
		}
		l.rounds.Go(func() {
			defer func() { <-l.slots }()
			l.deliver(begun, items)
		})
	}
}

// await waits for a free worker, and until rate and back-off allow a lease. It
// reports false when ctx has ended.
func (l *leaser) await(ctx context.Context) (batch int, ok bool) {
	select {
	case l.slots <- struct{}{}:
	case <-ctx.Done():
		return 0, false
	}
	for {
		now := l.now()
		batch, wait := l.backoff.next(now)
		wait = max(wait, l.limiter.Wait(now))
		if wait <= 0 {
			return l.limiter.Most(batch), ctx.Err() == nil
		}
		if pace.Sleep(ctx, wait) != nil {
			return 0, false
		}
	}
}

// lease returns what is to be judged. When nothing is owed it takes the time that
// is to pass before the next look.
func (l *leaser) lease(ctx context.Context, begun time.Time, batch int) []item {
	owed, err := l.backlog.Lease(ctx, begun, begun.Add(l.cfg.Lease), batch)
	if err != nil {
		l.failed(ctx, begun, "owed evaluations could not be leased", err)
		return nil
	}
	if len(owed) == 0 {
		_ = pace.Sleep(ctx, l.cfg.PollInterval) // the loop sees the end of ctx itself
		return nil
	}
	items, err := newTriage(l.backlogReceiver, begun).run(l.work, owed)
	if err != nil {
		l.release(owed)
		l.failed(ctx, begun, "owed evaluations could not be looked through", err)
		return nil
	}
	if len(items) == 0 {
		return nil
	}
	l.limiter.Take(begun, countEvaluations(items)) // a debt that runs off before the next lease
	return items
}

// deliver takes one lease through the pipeline.
func (l *leaser) deliver(begun time.Time, items []item) {
	ctx, cancel := context.WithTimeout(l.work, begun.Add(l.cfg.Lease).Sub(l.now()))
	defer cancel()
	batches, err := l.load(ctx, items)
	if err != nil {
		l.release(owedOf(items))
		l.failed(l.work, begun, "spans of owed evaluations could not be read", err)
		return
	}
	for i := range batches {
		if err := l.send(ctx, batches[i].traces); err != nil {
			l.refused(begun, batches[i:], ctx.Err() != nil, err)
			return
		}
	}
	if l.backoff.done(begun) {
		l.log.Info("the pipeline takes owed evaluations again")
	}
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
	for _, f := range rest {
		l.release(owedOf(f.items))
	}
	l.failed(l.work, begun, "the pipeline did not take owed evaluations", err)
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
			e.Reason, e.Due = reasonRefused, l.now().Add(wait).UnixNano()
			list[j] = e
		}
		made = append(made, store.Evaluated{Environment: items[i].Environment, Span: items[i].Span, Content: items[i].Content, Evaluations: list})
	}
	if err := l.backlog.Complete(l.work, made); err != nil {
		return false
	}
	l.metrics.countCompleted(l.work, completedRefused, countEvaluations(items))
	return true
}

// releaseTimeout bounds the release of leases, which needs no I/O.
const releaseTimeout = 5 * time.Second

// release returns leases back, also when everything else has been cancelled. What
// cannot be released runs out.
func (l *leaser) release(owed []store.Evaluated) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.work), releaseTimeout)
	defer cancel()
	if err := l.backlog.Release(ctx, owed, time.Time{}); err != nil {
		l.log.Warn("leases could not be released and run out", zap.Error(err))
	}
}

// failed notes an error of a lease begun then, and logs it.
func (l *leaser) failed(ctx context.Context, begun time.Time, what string, err error) {
	if ctx.Err() != nil {
		return // being told to stop is no failure
	}
	if l.backoff.failed(begun, l.now()) {
		l.log.Warn(what+"; they are owed as before", zap.Error(err))
		return
	}
	l.log.Debug(what, zap.Error(err))
}
