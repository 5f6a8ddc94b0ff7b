// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"strings"
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

	matched atomic.Bool
}

// Compile makes the monitor of a setup, which must not change any more. For
// each evaluator it asks find, which may give nil for one that is not at hand
// here and is judged in another process; an error becomes the binding's Err.
func Compile(s *Setup, find func(w *SetupEvaluator) (*eval.Evaluator, error)) *Monitor {
	m := &Monitor{Setup: s, Chained: s.Selector.readsVerdicts(), Bindings: make([]*Binding, len(s.Evaluators))}
	m.matched.Store(s.Status.Settled())
	for i := range s.Evaluators {
		m.Bindings[i] = newBinding(&s.Evaluators[i], s.OtherLanguages, find)
		m.Bindings[i].same = i
	}
	return m
}

// CompileAll makes the monitors of setups as Compile does, plain ones before
// chained ones, each in the order of setups.
func CompileAll(setups []Setup, find func(w *SetupEvaluator) (*eval.Evaluator, error)) []*Monitor {
	var plain, chained []*Monitor
	kinds := map[string]int{}
	for i := range setups {
		m := Compile(&setups[i], find)
		for _, r := range m.Bindings {
			kind := string(m.Setup.OtherLanguages) + r.Spec.key()
			if _, known := kinds[kind]; !known {
				kinds[kind] = len(kinds)
			}
			r.same = kinds[kind]
		}
		if m.Chained {
			chained = append(chained, m)
		} else {
			plain = append(plain, m)
		}
	}
	return append(plain, chained...)
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
	for _, r := range s {
		if r.Source == SpanAttributes && strings.HasPrefix(r.Key, tenant.EvaluationPrefix) {
			return true
		}
	}
	return false
}

// Cache holds the monitors of every environment, compiled from its setups
// when they are first asked for after a change. It is safe for concurrent use
// and reading what is compiled takes no lock.
type Cache struct {
	find         func(w *SetupEvaluator) (*eval.Evaluator, error)
	ready        func(e *eval.Evaluator) bool
	epoch        atomic.Int64
	environments sync.Map // tenant.EnvironmentID -> *compiled
}

type compiled struct {
	setups   []Setup
	epoch    int64
	monitors []*Monitor
}

// NewCache makes an empty cache, which compiles with find as Compile does. Of
// evaluators that compute in place it asks whether they are ready: those that
// are not get ErrLoading.
func NewCache(find func(w *SetupEvaluator) (*eval.Evaluator, error), ready func(e *eval.Evaluator) bool) *Cache {
	return &Cache{find: find, ready: ready}
}

// Loaded says that more evaluators are ready than before: monitors are compiled
// anew when they are next asked for.
func (b *Cache) Loaded() { b.epoch.Add(1) }

// Monitors returns the monitors of an environment with these setups, plain ones
// before chained ones, each in the order of setups. The slice of setups must
// not change any more: the same slice is compiled once.
func (b *Cache) Monitors(env tenant.EnvironmentID, setups []Setup) []*Monitor {
	if len(setups) == 0 {
		return nil
	}
	epoch := b.epoch.Load()
	if v, ok := b.environments.Load(env); ok {
		c := v.(*compiled)
		if c.epoch == epoch && len(c.setups) == len(setups) && &c.setups[0] == &setups[0] {
			return c.monitors
		}
	}
	c := &compiled{setups: setups, epoch: epoch, monitors: b.compile(setups)}
	b.environments.Store(env, c)
	return c.monitors
}

func (b *Cache) compile(setups []Setup) []*Monitor {
	monitors := CompileAll(setups, b.find)
	for _, m := range monitors {
		for _, r := range m.Bindings {
			if r.Err == nil && !r.Plan.Deferred && !b.ready(r.Evaluator) {
				r.Err = ErrLoading
			}
		}
	}
	return monitors
}
