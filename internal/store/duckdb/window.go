// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// key identifies a span; env is the window's number of the environment.
type key struct {
	env   uint32
	trace span.TraceID
	span  span.ID
}

// place is where a span is, and a digest of its content.
type place struct {
	serial  uint32 // of the partition
	seq     uint32
	content uint64
}

// window knows the spans that were stored lately, so that one which is sent
// again is recognised. It keeps two generations of keys and drops the older
// when the younger is full.
type window struct {
	limit      int // of one generation
	young, old map[key]place
	envs       map[tenant.EnvironmentID]uint32
	numbers    uint32 // given so far
	// horizons has, for each environment, the latest start of all spans that are
	// no longer in the window; ones has that of the spans in each generation. A
	// span that starts later than its horizon is in the window or nowhere.
	horizons  map[uint32]int64
	starts    map[uint32]int64 // latest in young
	oldStarts map[uint32]int64
}

func newWindow(keys int) *window {
	return &window{
		limit:    max(1, keys/2),
		young:    map[key]place{},
		old:      map[key]place{},
		envs:     map[tenant.EnvironmentID]uint32{},
		horizons: map[uint32]int64{},
		starts:   map[uint32]int64{},

		oldStarts: map[uint32]int64{},
	}
}

// number returns the window's number of an environment.
func (w *window) number(id tenant.EnvironmentID) uint32 {
	n, found := w.envs[id]
	if !found {
		n = w.numbers
		w.numbers++
		w.envs[id] = n
	}
	return n
}

// known returns the number of an environment, and whether it has one yet.
func (w *window) known(id tenant.EnvironmentID) (uint32, bool) {
	n, found := w.envs[id]
	return n, found
}

// forget makes an environment one of which nothing was stored.
func (w *window) forget(id tenant.EnvironmentID) { delete(w.envs, id) }

// find returns the place of a span that is in the window.
func (w *window) find(k key) (place, bool) {
	p, found := w.young[k]
	if !found {
		p, found = w.old[k]
	}
	return p, found
}

// passed reports whether a span that is not in the window and starts then could
// be stored all the same.
func (w *window) passed(env uint32, start int64) bool {
	horizon, found := w.horizons[env]
	return found && start <= horizon
}

// put remembers a span.
func (w *window) put(k key, start int64, p place) {
	if len(w.young) >= w.limit {
		for env, latest := range w.oldStarts {
			w.pass(env, latest)
		}
		w.old, w.young = w.young, w.old // each keeps its memory
		w.oldStarts, w.starts = w.starts, w.oldStarts
		clear(w.young)
		clear(w.starts)
	}
	delete(w.old, k) // its place is out of date
	w.young[k] = p
	if latest, found := w.starts[k.env]; !found || start > latest {
		w.starts[k.env] = start
	}
}

// pass says that a span of env with this start is not in the window.
func (w *window) pass(env uint32, start int64) {
	if latest, found := w.horizons[env]; !found || start > latest {
		w.horizons[env] = start
	}
}
