// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"maps"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
)

// reconcileEvery is how often the reconciler looks whether setups changed: one load of
// a number when they did not.
const reconcileEvery = 100 * time.Millisecond

// reconciler moves the status of setups: it takes up pending ones, checks their
// evaluators, and completes those that a span has matched. Judging does not
// wait for it. Several reconcilers may work on one store.
type reconciler struct {
	live     *cache.Cache
	resolver *resolver
	loader   *loader
	log      *zap.Logger

	wake   chan struct{}
	cancel context.CancelFunc
	done   sync.WaitGroup

	census *census

	mu      sync.Mutex
	hits    map[string]hits    // by setup id, until there are enough and that is recorded
	waiting map[string]watched // by setup id
}

// hits counts the spans that this process saw match a generation of a setup.
type hits struct{ generation, spans int64 }

func newReconciler(live *cache.Cache, f *resolver, l *loader, c *census, log *zap.Logger) *reconciler {
	return &reconciler{live: live, resolver: f, loader: l, census: c, log: log, wake: make(chan struct{}, 1), hits: map[string]hits{}}
}

func (r *reconciler) start() {
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	r.done.Go(func() { r.run(ctx) })
}

func (r *reconciler) stop() {
	r.cancel()
	r.done.Wait()
}

// matched notes that a span matched this generation of the setup, and
// reports whether that is enough. It never blocks on I/O.
func (r *reconciler) matched(s *monitor.Setup) (enough bool) {
	r.mu.Lock()
	h := r.hits[s.ID]
	switch {
	case h.generation < s.Generation:
		h = hits{s.Generation, 1}
	case h.generation == s.Generation:
		h.spans++
	}
	r.hits[s.ID] = h
	r.mu.Unlock()
	if h.generation == s.Generation && h.spans < s.MinSpans {
		return false
	}
	select {
	case r.wake <- struct{}{}:
	default:
	}
	return true
}

func (r *reconciler) hit(s *monitor.Setup) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	h, ok := r.hits[s.ID]
	return ok && h.generation >= s.Generation && h.spans >= s.MinSpans
}

// noted returns the hits so far.
func (r *reconciler) noted() map[string]hits {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.hits)
}

// forget drops the noted hits of setups that are not open any more, settled or
// deleted, unless a newer generation was matched meanwhile.
func (r *reconciler) forget(noted map[string]hits, open map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, h := range noted {
		if !open[id] && r.hits[id].generation == h.generation {
			delete(r.hits, id)
		}
	}
}

func (r *reconciler) run(ctx context.Context) {
	tick := time.NewTicker(reconcileEvery)
	defer tick.Stop()
	var seen uint64 // the version of the setups that nothing is left to do for
	idle, mended := false, false
	for {
		woken := false
		select {
		case <-ctx.Done():
			r.reconcile(context.WithoutCancel(ctx)) // what the last batches found
			return
		case <-tick.C:
		case <-r.wake:
			woken = true
		}
		if !mended {
			mended = r.mend(ctx)
		}
		now := r.live.Version()
		if !woken && idle && now == seen {
			continue
		}
		idle, seen = r.reconcile(ctx), now
	}
}

// reconcile moves every setup as far as it can go, and reports whether nothing
// stood in the way.
func (r *reconciler) reconcile(ctx context.Context) (all bool) {
	noted := r.noted() // before the setups, which therefore have them unless they were deleted
	open := map[string]bool{}
	var unsettled []*monitor.Setup
	all = true
	for s := range r.live.All() {
		if s.Status.Settled() {
			continue
		}
		open[s.ID] = true
		unsettled = append(unsettled, s)
		all = r.fine(ctx, s, r.move(ctx, *s)) && all
	}
	r.forget(noted, open)
	r.watch(unsettled)
	return all
}

// fine reports whether a setup was moved as far as it can go, and logs why it
// was not unless another process was first.
func (r *reconciler) fine(ctx context.Context, s *monitor.Setup, err error) bool {
	if err == nil {
		return true
	}
	if !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.NotFound) && ctx.Err() == nil {
		r.log.Error("setup status could not be moved", zap.String("setup", s.ID), zap.Error(err))
	}
	return false
}

// mend looks once, when a process has started, whether what evaluators failed
// for is still so: they may lack nothing any more. They are checked in the same
// move, so that no process that lacks what this one has comes between. It
// reports whether nothing stood in the way.
func (r *reconciler) mend(ctx context.Context) (all bool) {
	all = true
	for s := range r.live.All() {
		complaint, err := r.complaints(ctx, s, monitor.FailedStatus)
		if err == nil {
			now := time.Now().UTC()
			if next, moved := s.Mended(now, complaint); moved {
				next, _ = next.Checked(now, complaint)
				_, err = store.Setups(r.live).Replace(ctx, next)
			}
		}
		all = r.fine(ctx, s, err) && all
	}
	return all
}

// move takes one setup as far as it can go. Conflict and NotFound say that
// another process was first.
func (r *reconciler) move(ctx context.Context, s monitor.Setup) error {
	for {
		next, moved, err := r.next(ctx, s)
		if err != nil || !moved {
			return err
		}
		stored, err := store.Setups(r.live).Replace(ctx, next)
		if err != nil {
			return err
		}
		s = stored
	}
}

func (r *reconciler) next(ctx context.Context, s monitor.Setup) (next monitor.Setup, moved bool, err error) {
	now := time.Now().UTC()
	if next, moved := s.TakenUp(now); moved {
		return next, true, nil
	}
	if s.Status == monitor.InProgress {
		complaint, err := r.complaints(ctx, &s, monitor.InProgress)
		if err != nil {
			return s, false, err
		}
		next, moved = s.Checked(time.Now().UTC(), complaint)
		return next, moved, nil
	}
	if r.hit(&s) {
		next, moved = s.Matched(now)
		return next, moved, nil
	}
	return s, false, nil
}
