// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// census counts the spans that came, by environment. It is safe for concurrent
// use.
type census struct {
	counts sync.Map // tenant.EnvironmentID: *atomic.Int64
}

// of returns the count of an environment.
func (c *census) of(env tenant.EnvironmentID) *atomic.Int64 {
	if known, ok := c.counts.Load(env); ok {
		return known.(*atomic.Int64)
	}
	known, _ := c.counts.LoadOrStore(env, new(atomic.Int64))
	return known.(*atomic.Int64)
}

// watched is a setup that waits for a first span.
type watched struct {
	environment tenant.EnvironmentID
	generation  int64
	checked     time.Time // when it began to wait
	came        int64     // how many spans had come then
}

// watch notes the setups that wait for spans, each with what had come when it
// began to. Setups that do so no longer are forgotten.
func (r *reconciler) watch(setups []*monitor.Setup) {
	r.mu.Lock()
	defer r.mu.Unlock()
	waiting := make(map[string]watched, len(setups))
	for _, s := range setups {
		if s.Status != monitor.WaitingForSpans || s.Paused {
			continue
		}
		w, known := r.waiting[s.ID]
		if !known || !w.checked.Equal(s.UpdatedAt) {
			w = watched{s.EnvironmentID, s.Generation, s.UpdatedAt, r.census.of(s.EnvironmentID).Load()}
		}
		waiting[s.ID] = w
	}
	r.waiting = waiting
}

// dead returns how many setups have matched none of many spans that came to this
// process.
func (r *reconciler) dead() (n int64) {
	r.mu.Lock()
	waiting, hits := r.waiting, maps.Clone(r.hits) // waiting is replaced, never changed
	r.mu.Unlock()
	for id, w := range waiting {
		if hits[id].Generation != w.generation && r.census.of(w.environment).Load()-w.came >= monitor.DeadAfter {
			n++
		}
	}
	return n
}
