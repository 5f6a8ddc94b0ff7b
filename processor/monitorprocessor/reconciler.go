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

// tellEvery is how often the control store gets the number of spans that matched
// setups that wait for several. When there are enough it gets it at once.
const tellEvery = time.Second

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
	away   bool // whether the control store was, when it was asked last

	mu       sync.Mutex
	hits     map[string]monitor.Matches // that this process saw and has not reported, by setup id
	told     time.Time                  // when it did so last
	watching map[string]watched         // by setup id
}

func newReconciler(live *cache.Cache, f *resolver, l *loader, c *census, log *zap.Logger) *reconciler {
	return &reconciler{live: live, resolver: f, loader: l, census: c, log: log, wake: make(chan struct{}, 1), hits: map[string]monitor.Matches{}}
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
	case h.Generation < s.Generation:
		h = monitor.Matches{Generation: s.Generation, Spans: 1}
	case h.Generation == s.Generation:
		h.Spans++
	}
	r.hits[s.ID] = h
	r.mu.Unlock()
	if h.Generation == s.Generation && s.MatchedSpans()+h.Spans < s.MinSpans {
		return false
	}
	select {
	case r.wake <- struct{}{}:
	default:
	}
	return true
}

// take takes the hits of a setup out, to report them: while a setup waits for more,
// when it is time to. A hit is either taken or kept, never both.
func (r *reconciler) take(s *monitor.Setup, all bool) monitor.Matches {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.hits[s.ID]
	if h.Generation != s.Generation || !all && s.MatchedSpans()+h.Spans < s.MinSpans {
		return monitor.Matches{}
	}
	r.hits[s.ID] = monitor.Matches{Generation: h.Generation}
	return h
}

// giveBack puts back hits that could not be reported.
func (r *reconciler) giveBack(id string, h monitor.Matches) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := r.hits[id]; h.Spans > 0 && now.Generation <= h.Generation {
		if now.Generation == h.Generation {
			h.Spans += now.Spans
		}
		r.hits[id] = h
	}
}

// due reports whether it is time to tell of hits.
func (r *reconciler) due(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.told) < tellEvery {
		return false
	}
	for _, h := range r.hits {
		if h.Spans > 0 {
			return true
		}
	}
	return false
}

// noted returns the hits so far.
func (r *reconciler) noted() map[string]monitor.Matches {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.hits)
}

// forget drops the noted hits of setups that are not open any more, settled or
// deleted, unless a newer generation was matched meanwhile.
func (r *reconciler) forget(noted map[string]monitor.Matches, open map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, h := range noted {
		if !open[id] && r.hits[id].Generation == h.Generation {
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
			r.reconcile(context.WithoutCancel(ctx), true) // what the last batches found
			return
		case <-tick.C:
		case <-r.wake:
			woken = true
		}
		if !mended {
			mended = r.mend(ctx)
		}
		now, due := r.live.Version(), r.due(time.Now())
		if !woken && idle && now == seen && !due {
			continue
		}
		idle, seen = r.reconcile(ctx, due), now
	}
}

// reconcile moves every setup as far as it can go, and reports whether nothing
// stood in the way. It tells of hits that are enough, or of all.
func (r *reconciler) reconcile(ctx context.Context, tell bool) (all bool) {
	if tell {
		r.mu.Lock()
		r.told = time.Now()
		r.mu.Unlock()
	}
	noted := r.noted() // before the setups, which therefore have them unless they were deleted
	open := map[string]bool{}
	var setups []*monitor.Setup
	all = true
	refused := 0 // times that the control store was away, without another answer in between
	for s := range r.live.All() {
		setups = append(setups, s)
		if s.Status.Settled() {
			continue
		}
		open[s.ID] = true
		if refused == mostRefused {
			continue
		}
		err := r.move(ctx, *s, tell)
		if fault.Is(err, fault.Unavailable) {
			refused++
		} else {
			refused = 0
		}
		all = r.fine(ctx, s, err) && all
	}
	if all && r.away {
		r.away = false
		r.log.Info("the status of setups is moved again")
	}
	r.forget(noted, open)
	r.watch(setups)
	return all
}

// mostRefused is how many setups in a row a round asks a control store about that is away:
// there may be thousands, and the next round comes soon.
const mostRefused = 3

// fine reports whether a setup was moved as far as it can go, and logs why it was not
// unless another process was first. That the control store is away is logged once.
func (r *reconciler) fine(ctx context.Context, s *monitor.Setup, err error) bool {
	if err == nil {
		return true
	}
	away := fault.Is(err, fault.Unavailable) && ctx.Err() == nil
	if away && r.away {
		return false
	}
	r.away = r.away || away
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
func (r *reconciler) move(ctx context.Context, s monitor.Setup, tell bool) error {
	for {
		next, moved, err := r.next(ctx, s)
		var more monitor.Matches
		if err == nil && !moved {
			more = r.take(&s, tell)
			next, moved = s.Counted(time.Now().UTC(), more)
		}
		if err != nil || !moved {
			r.giveBack(s.ID, more)
			return err
		}
		stored, err := store.Setups(r.live).Replace(ctx, next)
		if err != nil {
			r.giveBack(s.ID, more)
			return err
		}
		s = stored
	}
}

// next returns the setup once something more is found out of it, spans apart.
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
	return s, false, nil
}
