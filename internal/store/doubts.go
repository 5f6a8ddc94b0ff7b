// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"errors"
	"hash/maphash"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// subject is what one write is about: an organization or an environment.
type subject struct{ kind, id string }

// cure brings memory and control store together again. It is called with the
// turn of its subject.
type cure func(context.Context) error

// doubts are the subjects of which memory may differ from the control store,
// because a write ended without a clear answer, or with one that shows that
// memory is behind.
type doubts struct {
	// turns keep the writes about one subject in the order in which memory
	// learns of them. They are held while the control store writes.
	turns [64]sync.Mutex
	seed  maphash.Seed

	any atomic.Bool // spares mu where all is well

	mu    sync.Mutex // guards cures
	cures map[subject]cure
}

func newDoubts() *doubts {
	return &doubts{seed: maphash.MakeSeed(), cures: make(map[subject]cure)}
}

// turn waits for the subject's turn, which ends with the given function.
func (d *doubts) turn(s subject) (end func()) {
	m := &d.turns[maphash.Comparable(d.seed, s)%uint64(len(d.turns))]
	m.Lock()
	return m.Unlock
}

// uncertain reports whether a write that ended with err may have happened.
func uncertain(err error) bool {
	kind := fault.KindOf(err)
	return kind == fault.Unavailable || kind == fault.Internal
}

// raise tries the cure, and keeps it for later if it does not help now.
func (d *doubts) raise(ctx context.Context, s subject, c cure) {
	if c(ctx) == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cures[s] = c
	d.any.Store(true)
}

// settle ends the doubt about a subject, if there is one, or says why it
// cannot. The caller has the subject's turn.
func (d *doubts) settle(ctx context.Context, s subject) error {
	if !d.any.Load() {
		return nil
	}
	d.mu.Lock()
	c, ok := d.cures[s]
	d.mu.Unlock()
	if !ok {
		return nil
	}
	if err := c(ctx); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.cures, s)
	d.any.Store(len(d.cures) > 0)
	return nil
}

// settleAll ends every doubt that can be ended.
func (d *doubts) settleAll(ctx context.Context) error {
	if !d.any.Load() {
		return nil
	}
	d.mu.Lock()
	subjects := slices.Collect(maps.Keys(d.cures))
	d.mu.Unlock()
	var errs []error
	for _, s := range subjects {
		end := d.turn(s)
		errs = append(errs, d.settle(ctx, s))
		end()
	}
	return errors.Join(errs...)
}
