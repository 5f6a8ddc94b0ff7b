// SPDX-License-Identifier: Apache-2.0

// Package freemem gives memory back to the system some time after much of it was
// held. By itself Go does that over minutes, and collects what was left only when as
// much again has been allocated. Pages of the binary that were read go with it.
package freemem

import (
	"runtime/debug"
	"sync"
	"time"
)

// patience is how long after much was held its memory is given back.
const patience = 20 * time.Second

// Giver gives memory back.
type Giver struct {
	after time.Duration
	free  func()

	mu    sync.Mutex
	timer *time.Timer // nil while there is nothing to give back
	over  bool
}

// New returns a giver that waits for as long as that.
func New() *Giver {
	return After(patience, func() {
		debug.FreeOSMemory()
		_ = freePages() // what cannot be given back is kept
	})
}

// After returns a giver that calls free so long after much was held last.
func After(wait time.Duration, free func()) *Giver { return &Giver{after: wait, free: free} }

// Used hears that so much of a total is held; much is a quarter of it. It does not
// wait, and may be called under a mutex.
func (g *Giver) Used(held, total int64) {
	if held >= total/4 {
		g.Soon()
	}
}

// Soon has memory given back after a while in which nothing much is held, as after a
// start, which takes more than what comes after it.
func (g *Giver) Soon() {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.over:
	case g.timer == nil:
		g.timer = time.AfterFunc(g.after, g.give)
	default:
		g.timer.Reset(g.after) // not while more comes
	}
}

func (g *Giver) give() {
	g.mu.Lock()
	g.timer = nil
	over := g.over
	g.mu.Unlock()
	if !over {
		g.free()
	}
}

// End gives nothing back from now on.
func (g *Giver) End() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.over = true
	if g.timer != nil {
		g.timer.Stop()
	}
}
