// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// turns share the processors among environments. So many batches are judged at
// once; when more want to be, the environment comes first that has had the least
// time since it last had nothing to do.
type turns struct {
	waiting atomic.Int64

	mu     sync.Mutex // guards all below
	free   int
	shares map[tenant.EnvironmentID]*share // of environments that have a turn or wait for one
}

// share is what one environment has of the processors.
type share struct {
	had     time.Duration
	running int
	queue   []chan struct{} // is closed to give a turn
}

func newTurns(n int) *turns {
	return &turns{free: n, shares: make(map[tenant.EnvironmentID]*share)}
}

// take waits for a turn.
func (t *turns) take(ctx context.Context, env tenant.EnvironmentID) error {
	t.mu.Lock()
	s := t.shares[env]
	if s == nil {
		s = &share{had: t.least()}
		t.shares[env] = s
	}
	if t.free > 0 {
		t.free--
		s.running++
		t.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	s.queue = append(s.queue, turn)
	t.waiting.Add(1)
	t.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := slices.Index(s.queue, turn); at >= 0 {
		s.queue = slices.Delete(s.queue, at, at+1)
		t.waiting.Add(-1)
		t.forget(env, s)
	} else {
		t.end(env, s, 0)
	}
	return ctx.Err()
}

// least is how much time that environment has had which has had the least. What
// comes anew begins there: nobody saves up turns.
func (t *turns) least() time.Duration {
	least, first := time.Duration(0), true
	for _, s := range t.shares {
		if first || s.had < least {
			least, first = s.had, false
		}
	}
	return least
}

// give ends a turn that took so long.
func (t *turns) give(env tenant.EnvironmentID, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end(env, t.shares[env], took)
}

func (t *turns) end(env tenant.EnvironmentID, s *share, took time.Duration) {
	s.had += took
	s.running--
	t.free++
	t.next()
	t.forget(env, s)
}

// next returns free turns to who waits.
func (t *turns) next() {
	for t.free > 0 {
		var chosen *share
		for _, s := range t.shares {
			if len(s.queue) > 0 && (chosen == nil || s.had < chosen.had) {
				chosen = s
			}
		}
		if chosen == nil {
			return
		}
		close(chosen.queue[0])
		chosen.queue = chosen.queue[1:]
		chosen.running++
		t.free--
		t.waiting.Add(-1)
	}
}

func (t *turns) forget(env tenant.EnvironmentID, s *share) {
	if s.running == 0 && len(s.queue) == 0 {
		delete(t.shares, env)
	}
}

// due reports whether an environment waits that has had less time than this one,
// whose turn took so long by now.
func (t *turns) due(env tenant.EnvironmentID, took time.Duration) bool {
	if t.waiting.Load() == 0 {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	mine := t.shares[env]
	for _, s := range t.shares {
		if s != mine && len(s.queue) > 0 && s.had < mine.had+took {
			return true
		}
	}
	return false
}

// turn is the turn of one batch.
type turn struct {
	of    *turns
	env   tenant.EnvironmentID
	begun time.Time // zero while there is none
}

// begin waits for the turn of an environment, unless it is its turn already.
func (t *turn) begin(ctx context.Context, env tenant.EnvironmentID) error {
	if !t.begun.IsZero() && t.env == env {
		return nil
	}
	t.end()
	if err := t.of.take(ctx, env); err != nil {
		return err
	}
	t.env, t.begun = env, time.Now()
	return nil
}

// pass lets others have their turn, between two spans, and waits for the next.
func (t *turn) pass(ctx context.Context) error {
	if t.begun.IsZero() || t.of.waiting.Load() == 0 || !t.of.due(t.env, time.Since(t.begun)) {
		return nil
	}
	env := t.env
	t.end()
	return t.begin(ctx, env)
}

func (t *turn) end() {
	if !t.begun.IsZero() {
		t.of.give(t.env, time.Since(t.begun))
		t.begun = time.Time{}
	}
}
