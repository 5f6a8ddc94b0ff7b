// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"sync"
	"sync/atomic"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Monitor is a setup, compiled: its selector, and its evaluators bound to
// configurations and inputs.
type Monitor struct {
	Setup    *Setup
	Bindings []*Binding // one of each of the setup's evaluators, in their order
	// Chained says that the selector reads verdicts, so the monitor comes after
	// those that make them.
	Chained bool
	// Acts are what the setup's OnVerdict asks for, in its order.
	Acts []*Act

	loading bool // the Err of a binding is ErrLoading
	matched atomic.Bool
}

// Compile makes the monitor of a setup, which must not change any more. For
// each evaluator it asks find, which may give nil for one that is not at hand
// here and is judged in another process; an error becomes the binding's Err.
func Compile(s *Setup, find func(w *SetupEvaluator) (*eval.Evaluator, error)) *Monitor {
	m := &Monitor{Setup: s, Chained: s.Selector.readsVerdicts(), Bindings: make([]*Binding, len(s.Evaluators))}
	m.matched.Store(s.Status.Settled())
	for i := range s.Evaluators {
		m.Bindings[i] = newBinding(&s.Evaluators[i], s.OtherLanguages, find).By(s.Evaluators[i].Decided)
	}
	for i := range s.OnVerdict {
		m.Acts = append(m.Acts, newAct(&s.OnVerdict[i], m))
	}
	return m
}

// CompileAll makes the monitors of setups as Compile does.
func CompileAll(setups []Setup, find func(w *SetupEvaluator) (*eval.Evaluator, error)) *Monitors {
	list := make([]*Monitor, len(setups))
	for i := range setups {
		list[i] = Compile(&setups[i], find)
	}
	return together(list, nil)
}

// NeedsMatches reports whether matches are still counted, since the status of the
// setup does not say yet that enough spans did.
func (m *Monitor) NeedsMatches() bool { return !m.matched.Load() }

// MarkMatched ends the counting.
func (m *Monitor) MarkMatched() { m.matched.Store(true) }

// Binding returns the binding of an evaluator, nil if the monitor has none.
func (m *Monitor) Binding(slug string) *Binding {
	for _, r := range m.Bindings {
		if r.Spec.Slug == slug {
			return r
		}
	}
	return nil
}

func (s Selector) readsVerdicts() bool {
	for i := range s {
		if s[i].readsVerdicts() {
			return true
		}
	}
	return false
}

// Cache holds the monitors of every environment, compiled from its setups
// when they are first asked for after a change. What did not change is not
// compiled again. It is safe for concurrent use and reading what is compiled
// takes no lock.
type Cache struct {
	find         func(w *SetupEvaluator) (*eval.Evaluator, error)
	ready        func(e *eval.Evaluator) bool
	epoch        atomic.Int64
	environments sync.Map // tenant.EnvironmentID -> *compiled
}

type compiled struct {
	setups   []Setup
	epoch    int64
	list     []*Monitor // in the order of setups
	monitors *Monitors
}

// NewCache makes an empty cache, which compiles with find as Compile does. Of
// evaluators that compute in place it asks whether they are ready: those that
// are not get ErrLoading.
func NewCache(find func(w *SetupEvaluator) (*eval.Evaluator, error), ready func(e *eval.Evaluator) bool) *Cache {
	return &Cache{find: find, ready: ready}
}

// Loaded says that more evaluators are ready than before: the monitors of those that
// were not are compiled again when they are next asked for.
func (c *Cache) Loaded() { c.epoch.Add(1) }

// Monitors returns the monitors of an environment with these setups. The slice
// of setups must not change any more: the same slice is compiled once. Setups of
// another slice are compiled unless they are in the same revision as before.
func (c *Cache) Monitors(env tenant.EnvironmentID, setups []Setup) *Monitors {
	if len(setups) == 0 {
		return noMonitors
	}
	epoch := c.epoch.Load()
	var was *compiled
	if v, ok := c.environments.Load(env); ok {
		was = v.(*compiled)
		if was.epoch == epoch && len(was.setups) == len(setups) && &was.setups[0] == &setups[0] {
			return was.monitors
		}
	}
	now := c.compile(setups, was, epoch)
	c.environments.Store(env, now)
	return now.monitors
}

// compile makes the monitors of setups, but for those that was has already.
func (c *Cache) compile(setups []Setup, was *compiled, epoch int64) *compiled {
	now := &compiled{setups: setups, epoch: epoch, list: make([]*Monitor, len(setups))}
	var before *Monitors
	var known predecessors
	if was != nil {
		before, known.list = was.monitors, was.list
	}
	for i := range setups {
		m := known.of(setups[i].ID)
		if m == nil || !m.Setup.SameRevision(&setups[i]) || m.loading && was.epoch != epoch {
			// A monitor that stays is not to keep all setups of today in memory.
			own := setups[i]
			m = Compile(&own, c.find)
			c.await(m)
		}
		now.list[i] = m
	}
	now.monitors = together(now.list, before)
	return now
}

// predecessors are the monitors of the setups that were, in their order, which is
// nearly that of those that are.
type predecessors struct {
	list   []*Monitor
	next   int
	places map[string]int // by setup id; made when the order is another one
}

// of returns the monitor of the setup with this id, nil if there is none.
func (p *predecessors) of(id string) *Monitor {
	if p.next >= len(p.list) || p.list[p.next].Setup.ID != id {
		if p.places == nil {
			p.places = make(map[string]int, len(p.list))
			for i, m := range p.list {
				p.places[m.Setup.ID] = i
			}
		}
		place, known := p.places[id]
		if !known {
			return nil
		}
		p.next = place
	}
	p.next++
	return p.list[p.next-1]
}

// await marks what is not ready.
func (c *Cache) await(m *Monitor) {
	for _, r := range m.Bindings {
		if r.Err == nil && !r.Plan.Deferred && !c.ready(r.Evaluator) {
			r.Err = ErrLoading
			m.loading = true
		}
	}
}
