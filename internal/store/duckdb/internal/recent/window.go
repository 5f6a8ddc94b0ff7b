// SPDX-License-Identifier: Apache-2.0

// Package recent knows the spans that were stored lately, so that one which is sent
// again is recognised without looking into files.
package recent

import (
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/keyfilter"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Key identifies a span; Env is the window's number of the environment.
type Key struct {
	Env  uint32
	Span span.Identity
}

// Place is where a span is, and a digest of its content.
type Place struct {
	Serial  uint32 // of the partition
	Seq     uint32
	Content uint64
}

// Window keeps the keys of the spans stored last. One caller at a time uses it.
type Window struct {
	// Limit is how many keys there are at most.
	Limit   int
	keys    keys
	envs    map[tenant.EnvironmentID]uint32
	numbers uint32 // given so far
	// outside says which spans of a partition are stored and not in the window, by
	// the partition's serial; a partition that is not there is outside as a whole.
	outside map[uint32]map[uint32]keyfilter.Buckets // by environment's number
}

// New returns a window of that many keys at most.
func New(limit int) *Window {
	limit = max(1, limit)
	return &Window{
		Limit:   limit,
		keys:    newKeys(limit),
		envs:    map[tenant.EnvironmentID]uint32{},
		outside: map[uint32]map[uint32]keyfilter.Buckets{},
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
	at := w.keys.find(w.keys.sumOf(k))
	if at == 0 {
		return Place{}, false
	}
	return w.keys.place(at), true
}

// Put remembers where a span is.
func (w *Window) Put(k Key, p Place) {
	g := group{serial: p.Serial, env: k.Env, bucket: k.Span.Bucket}
	s := w.keys.sumOf(k)
	if at := w.keys.find(s); at != 0 {
		w.keys.remove(at) // its place is out of date
	}
	for w.keys.isFull(g) {
		if gone, was := w.keys.removeOldest(); was {
			w.Pass(gone.serial, gone.env, gone.bucket)
		}
	}
	w.keys.add(s, g, p)
}

// Remove makes a span one that is not stored, if its place is in the partition.
func (w *Window) Remove(k Key, serial uint32) {
	if at := w.keys.find(w.keys.sumOf(k)); at != 0 && w.keys.place(at).Serial == serial {
		w.keys.remove(at)
	}
}

// Begin notes that all spans of a partition are in the window but for those that
// Pass tells of.
func (w *Window) Begin(serial uint32) { w.outside[serial] = map[uint32]keyfilter.Buckets{} }

// End forgets a partition that is gone.
func (w *Window) End(serial uint32) { delete(w.outside, serial) }

// Pass notes that a span of a partition and an environment that starts in a bucket
// is stored and not in the window.
func (w *Window) Pass(serial, env uint32, b span.Bucket) {
	if envs, begun := w.outside[serial]; begun {
		if s := envs[env]; !s.Has(b) {
			envs[env] = s.With(b)
		}
	}
}

// Misses reports whether spans of a partition and an environment that start in a
// bucket may be stored that are not in the window.
func (w *Window) Misses(serial, env uint32, b span.Bucket) bool {
	envs, begun := w.outside[serial]
	return !begun || envs[env].Has(b)
}
