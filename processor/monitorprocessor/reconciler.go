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

// keepEvery is how often the keeper looks whether setups changed: one load of
// a number when they did not.
const keepEvery = 100 * time.Millisecond

// keeper moves the status of setups: it takes up pending ones, checks their
// evaluators, and completes those that a span has matched. Judging does not
// wait for it. Several keepers may work on one store.
type keeper struct {
	live   *cache.Cache
	finder *finder
	loader *loader
	log    *zap.Logger

	wake   chan struct{}
	cancel context.CancelFunc
	done   sync.WaitGroup

	census *census

	mu      sync.Mutex
	hits    map[string]hits    // by setup id, until there are enough and that is recorded
	waiting map[string]watched // by setup id
}

// hits are the spans that matched a setup as it was wished in a generation,
// those of this process.
type hits struct{ generation, spans int64 }

func newKeeper(live *cache.Cache, f *finder, l *loader, c *census, log *zap.Logger) *keeper {
	return &keeper{live: live, finder: f, loader: l, census: c, log: log, wake: make(chan struct{}, 1), hits: map[string]hits{}}
}

func (k *keeper) start() {
	ctx, cancel := context.WithCancel(context.Background())
	k.cancel = cancel
	k.done.Go(func() { k.run(ctx) })
}

func (k *keeper) stop() {
	k.cancel()
	k.done.Wait()
}

// matched notes that a span matched the setup as it was wished then, and
// reports whether that is enough. It never blocks on I/O.
func (k *keeper) matched(s *monitor.Setup) (enough bool) {
	k.mu.Lock()
	h := k.hits[s.ID]
	switch {
	case h.generation < s.Generation:
		h = hits{s.Generation, 1}
	case h.generation == s.Generation:
		h.spans++
	}
	k.hits[s.ID] = h
	k.mu.Unlock()
	if h.generation == s.Generation && h.spans < s.MinSpans {
		return false
	}
	select {
	case k.wake <- struct{}{}:
	default:
	}
	return true
}

func (k *keeper) hit(s *monitor.Setup) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	h, ok := k.hits[s.ID]
	return ok && h.generation >= s.Generation && h.spans >= s.MinSpans
}

// noted gives the hits so far.
func (k *keeper) noted() map[string]hits {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.hits)
}

// forget drops the noted hits of setups that are not open any more, settled or
// deleted, unless a newer wish was matched meanwhile.
func (k *keeper) forget(noted map[string]hits, open map[string]bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, h := range noted {
		if !open[id] && k.hits[id].generation == h.generation {
			delete(k.hits, id)
		}
	}
}

func (k *keeper) run(ctx context.Context) {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	var seen uint64 // the version of the setups that nothing is left to do for
	idle, mended := false, false
	for {
		woken := false
		select {
		case <-ctx.Done():
			k.keep(context.WithoutCancel(ctx)) // what the last batches found
			return
		case <-tick.C:
		case <-k.wake:
			woken = true
		}
		if !mended {
			mended = k.mend(ctx)
		}
		now := k.live.Version()
		if !woken && idle && now == seen {
			continue
		}
		idle, seen = k.keep(ctx), now
	}
}

// keep moves every setup as far as it can go, and reports whether nothing
// stood in the way.
func (k *keeper) keep(ctx context.Context) (all bool) {
	noted := k.noted() // before the setups, which therefore have them unless they were deleted
	open := map[string]bool{}
	var unsettled []*monitor.Setup
	all = true
	for s := range k.live.All() {
		if s.Status.Settled() {
			continue
		}
		open[s.ID] = true
		unsettled = append(unsettled, s)
		all = k.fine(ctx, s, k.move(ctx, *s)) && all
	}
	k.forget(noted, open)
	k.watch(unsettled)
	return all
}

// fine reports whether a setup was moved as far as it can go, and logs why it
// was not unless somebody else was first.
func (k *keeper) fine(ctx context.Context, s *monitor.Setup, err error) bool {
	if err == nil {
		return true
	}
	if !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.NotFound) && ctx.Err() == nil {
		k.log.Error("setup status could not be moved", zap.String("setup", s.ID), zap.Error(err))
	}
	return false
}

// mend looks once, when a process has started, whether what evaluators failed
// for is still so: they may lack nothing any more. They are checked in the same
// move, so that no process that lacks what this one has comes between. It
// reports whether nothing stood in the way.
func (k *keeper) mend(ctx context.Context) (all bool) {
	all = true
	for s := range k.live.All() {
		complaint, err := k.complaints(ctx, s, monitor.FailedStatus)
		if err == nil {
			now := time.Now().UTC()
			if next, moved := s.Mended(now, complaint); moved {
				next, _ = next.Checked(now, complaint)
				_, err = store.Setups(k.live).Replace(ctx, next)
			}
		}
		all = k.fine(ctx, s, err) && all
	}
	return all
}

// move takes one setup as far as it can go. Conflict and NotFound say that
// somebody else was first.
func (k *keeper) move(ctx context.Context, s monitor.Setup) error {
	for {
		next, moved, err := k.next(ctx, s)
		if err != nil || !moved {
			return err
		}
		stored, err := store.Setups(k.live).Replace(ctx, next)
		if err != nil {
			return err
		}
		s = stored
	}
}

func (k *keeper) next(ctx context.Context, s monitor.Setup) (next monitor.Setup, moved bool, err error) {
	now := time.Now().UTC()
	if next, moved := s.TakenUp(now); moved {
		return next, true, nil
	}
	if s.Status == monitor.InProgress {
		complaint, err := k.complaints(ctx, &s, monitor.InProgress)
		if err != nil {
			return s, false, err
		}
		next, moved = s.Checked(time.Now().UTC(), complaint)
		return next, moved, nil
	}
	if k.hit(&s) {
		next, moved = s.Matched(now)
		return next, moved, nil
	}
	return s, false, nil
}
