// SPDX-License-Identifier: Apache-2.0

// Package recent knows the spans that were stored lately, so that one which is sent
// again is recognised without looking into files.
package recent

import (
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Key identifies a span; Env is the window's number of the environment.
type Key struct {
	Env   uint32
	Trace span.TraceID
	Span  span.ID
}

// Place is where a span is, and a digest of its content.
type Place struct {
	Serial  uint32 // of the partition
	Seq     uint32
	Content uint64
}

// Window keeps two generations of keys and drops the older when the younger is
// full. One caller at a time uses it.
type Window struct {
	Limit      int // of one generation
	young, old map[Key]Place
	envs       map[tenant.EnvironmentID]uint32
	numbers    uint32 // given so far
	// horizons has, for each environment, the latest start of all spans that are
	// no longer in the window; starts and oldStarts have that of the spans in each
	// generation. A span that starts later than its horizon is in the window or
	// nowhere.
	horizons  map[uint32]int64
	starts    map[uint32]int64 // latest in young
	oldStarts map[uint32]int64
}

// New returns a window of about that many keys at most.
func New(keys int) *Window {
	return &Window{
		Limit:    max(1, keys/2),
		young:    map[Key]Place{},
		old:      map[Key]Place{},
		envs:     map[tenant.EnvironmentID]uint32{},
		horizons: map[uint32]int64{},
		starts:   map[uint32]int64{},

		oldStarts: map[uint32]int64{},
	}
}

// Number returns the window's number of an environment.
func (w *Window) Number(id tenant.EnvironmentID) uint32 {
	n, found := w.envs[id]
	if !found {
		n = w.numbers
		w.numbers++
		w.envs[id] = n
	}
	return n
}

// Known returns the number of an environment, and whether it has one yet.
func (w *Window) Known(id tenant.EnvironmentID) (uint32, bool) {
	n, found := w.envs[id]
	return n, found
}

// Forget makes an environment one of which nothing was stored.
func (w *Window) Forget(id tenant.EnvironmentID) { delete(w.envs, id) }

// Find returns the place of a span, and whether it is in the window.
func (w *Window) Find(k Key) (Place, bool) {
	p, found := w.young[k]
	if !found {
		p, found = w.old[k]
	}
	return p, found
}

// Passed reports whether a span that is not in the window and starts then could
// be stored all the same.
func (w *Window) Passed(env uint32, start int64) bool {
	horizon, found := w.horizons[env]
	return found && start <= horizon
}

// Put remembers where a span is that starts then.
func (w *Window) Put(k Key, start int64, p Place) {
	if len(w.young) >= w.Limit {
		for env, latest := range w.oldStarts {
			w.Pass(env, latest)
		}
		w.old, w.young = w.young, w.old // each keeps its memory
		w.oldStarts, w.starts = w.starts, w.oldStarts
		clear(w.young)
		clear(w.starts)
	}
	delete(w.old, k) // its place is out of date
	w.young[k] = p
	if latest, found := w.starts[k.Env]; !found || start > latest {
		w.starts[k.Env] = start
	}
}

// Pass notes that a span of env with this start is stored and not in the window.
func (w *Window) Pass(env uint32, start int64) {
	if latest, found := w.horizons[env]; !found || start > latest {
		w.horizons[env] = start
	}
}
