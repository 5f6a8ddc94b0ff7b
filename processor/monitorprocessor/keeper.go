// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"maps"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// keepEvery is how often the keeper looks whether setups changed: one load of
// a pointer when they did not.
const keepEvery = 100 * time.Millisecond

// keeper moves the status of setups: it takes up pending ones, checks their
// evaluators, and completes those that a span has matched. Judging does not
// wait for it. Several keepers may work on one store.
type keeper struct {
	live    *store.Live
	catalog *eval.Catalog
	log     *zap.Logger

	wake   chan struct{}
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu   sync.Mutex
	hits map[string]int64 // setup id -> generation that a span matched, until it is recorded
}

func newKeeper(live *store.Live, catalog *eval.Catalog, log *zap.Logger) *keeper {
	return &keeper{live: live, catalog: catalog, log: log, wake: make(chan struct{}, 1), hits: map[string]int64{}}
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

// matched notes that a span matched the setup as it was wished then. It never
// blocks on I/O.
func (k *keeper) matched(s *monitor.Setup) {
	k.mu.Lock()
	k.hits[s.ID] = max(k.hits[s.ID], s.Generation)
	k.mu.Unlock()
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

func (k *keeper) hit(s *monitor.Setup) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	generation, ok := k.hits[s.ID]
	return ok && generation >= s.Generation
}

// noted gives the hits so far.
func (k *keeper) noted() map[string]int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.hits)
}

// forget drops the noted hits of setups that are not open any more, settled or
// deleted, unless a newer wish was matched meanwhile.
func (k *keeper) forget(noted map[string]int64, open map[string]bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, generation := range noted {
		if !open[id] && k.hits[id] == generation {
			delete(k.hits, id)
		}
	}
}

func (k *keeper) run(ctx context.Context) {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	var seen *store.Snapshot // nil while something is left to do
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
		now := k.live.Setups()
		if !woken && now == seen {
			continue
		}
		seen = nil
		if k.keep(ctx) {
			seen = now
		}
	}
}

// keep moves every setup as far as it can go, and reports whether nothing
// stood in the way.
func (k *keeper) keep(ctx context.Context) (all bool) {
	noted := k.noted() // before the snapshot, which therefore has them unless they were deleted
	open := map[string]bool{}
	all = true
	for s := range k.live.Setups().All() {
		if s.Status.Settled() {
			continue
		}
		open[s.ID] = true
		err := k.move(ctx, *s)
		if err == nil {
			continue
		}
		all = false
		if !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.NotFound) && ctx.Err() == nil {
			k.log.Error("setup status could not be moved", zap.String("setup", s.ID), zap.Error(err))
		}
	}
	k.forget(noted, open)
	return all
}

// move takes one setup as far as it can go. Conflict and NotFound say that
// somebody else was first.
func (k *keeper) move(ctx context.Context, s monitor.Setup) error {
	for {
		next, moved := k.next(s)
		if !moved {
			return nil
		}
		stored, err := k.live.ReplaceSetup(ctx, next)
		if err != nil {
			return err
		}
		s = stored
	}
}

func (k *keeper) next(s monitor.Setup) (monitor.Setup, bool) {
	now := time.Now().UTC()
	if next, moved := s.TakenUp(now); moved {
		return next, true
	}
	if next, moved := s.Checked(now, k.complaint); moved {
		return next, true
	}
	if k.hit(&s) {
		return s.Matched(now)
	}
	return s, false
}

// complaint says why an evaluator cannot run, "" if it can.
func (k *keeper) complaint(slug string) string {
	known, ok := k.catalog.Get(slug)
	if !ok {
		return "evaluator " + slug + " is not known to this version"
	}
	if err := monitor.CanRun(known); err != nil {
		return fault.Message(err)
	}
	return ""
}
