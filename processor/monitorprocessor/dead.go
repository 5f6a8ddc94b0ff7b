// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// census counts the spans that came, by environment, and how many had come when each
// setup matched last. It is safe for concurrent use.
type census struct {
	counts  sync.Map // tenant.EnvironmentID: *atomic.Int64
	matches sync.Map // id of a setup: *atomic.Int64
}

// of returns the count of an environment.
func (c *census) of(env tenant.EnvironmentID) *atomic.Int64 { return countIn(&c.counts, env) }

// matched returns where the count is that a setup had when it matched last.
func (c *census) matched(setup string) *atomic.Int64 { return countIn(&c.matches, setup) }

func countIn(in *sync.Map, key any) *atomic.Int64 {
	if known, ok := in.Load(key); ok {
		return known.(*atomic.Int64)
	}
	known, _ := in.LoadOrStore(key, new(atomic.Int64))
	return known.(*atomic.Int64)
}

// watched is a setup that could match.
type watched struct {
	environment tenant.EnvironmentID
	generation  int64
	changed     time.Time
	came        int64 // how many spans had come then
}

// watch notes the setups that could match, each with what had come when it changed
// last. Others are forgotten.
func (r *reconciler) watch(setups []*monitor.Setup) {
	r.mu.Lock()
	defer r.mu.Unlock()
	watching := make(map[string]watched, len(setups))
	for _, s := range setups {
		if s.Status == monitor.Pending || s.Status == monitor.InProgress || s.Paused {
			continue
		}
		w, known := r.watching[s.ID]
		if !known || !w.changed.Equal(s.UpdatedAt) {
			w = watched{s.EnvironmentID, s.Generation, s.UpdatedAt, r.census.of(s.EnvironmentID).Load()}
		}
		watching[s.ID] = w
	}
	for id := range r.watching {
		if _, still := watching[id]; !still {
			r.census.matches.Delete(id)
		}
	}
	r.watching = watching
}

// dead returns how many setups match none of the many spans that came to this process
// since they matched or changed last.
func (r *reconciler) dead() (n int64) {
	r.mu.Lock()
	watching := r.watching // it is replaced, never changed
	r.mu.Unlock()
	for id, w := range watching {
		last := w.came
		if at, ok := r.census.matches.Load(id); ok {
			last = max(last, at.(*atomic.Int64).Load())
		}
		if r.census.of(w.environment).Load()-last >= monitor.DeadAfter {
			n++
		}
	}
	return n
}
