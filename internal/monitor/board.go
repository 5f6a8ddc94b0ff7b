// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Monitor is a wish come true: a setup with its evaluators at hand.
type Monitor struct {
	Setup *Setup
	Runs  []*Run // one of each of the setup's evaluators, in their order
	// Chained says that the selector reads verdicts, so the monitor comes after
	// those that make them.
	Chained bool

	told atomic.Bool
}

// Compile makes the monitor of a setup, which must not change any more. For
// each evaluator it asks find, which may give nil for one that is not at hand
// here and is judged by somebody else; an error becomes the run's Err.
func Compile(s *Setup, find func(w *SetupEvaluator) (*eval.Evaluator, error)) *Monitor {
	m := &Monitor{Setup: s, Chained: s.Selector.readsVerdicts(), Runs: make([]*Run, len(s.Evaluators))}
	m.told.Store(s.Status.Settled())
	for i := range s.Evaluators {
		m.Runs[i] = newRun(&s.Evaluators[i], s.OtherLanguages, find)
		m.Runs[i].same = i
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
		for _, r := range m.Runs {
			kind := string(m.Setup.OtherLanguages) + r.Wish.key()
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

// Counts reports whether somebody wants to know of each span that matches,
// since the status of the setup does not tell yet that enough did.
func (m *Monitor) Counts() bool { return !m.told.Load() }

// Enough ends the counting.
func (m *Monitor) Enough() { m.told.Store(true) }

// Run finds the run of an evaluator, nil if the monitor has none.
func (m *Monitor) Run(slug string) *Run {
	for _, r := range m.Runs {
		if r.Wish.Slug == slug {
			return r
		}
	}
	return nil
}

func (s Selector) readsVerdicts() bool {
	for _, r := range s {
		if r.Origin == SpanAttributes && strings.HasPrefix(r.Key, tenant.EvaluationPrefix) {
			return true
		}
	}
	return false
}

// Board holds the monitors of every environment, compiled from its setups
// when they are first asked for after a change. It is safe for concurrent use
// and reading what is compiled takes no lock.
type Board struct {
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

// NewBoard makes an empty board, which compiles with find as Compile does. Of
// evaluators that compute in place it asks whether they are ready: those that
// are not get ErrLoading.
func NewBoard(find func(w *SetupEvaluator) (*eval.Evaluator, error), ready func(e *eval.Evaluator) bool) *Board {
	return &Board{find: find, ready: ready}
}

// Loaded says that more evaluators are ready than before: monitors are compiled
// anew when they are next asked for.
func (b *Board) Loaded() { b.epoch.Add(1) }

// Monitors gives the monitors of an environment with these setups, plain ones
// before chained ones, each in the order of setups. The slice of setups must
// not change any more: the same slice is compiled once.
func (b *Board) Monitors(env tenant.EnvironmentID, setups []Setup) []*Monitor {
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

func (b *Board) compile(setups []Setup) []*Monitor {
	monitors := CompileAll(setups, b.find)
	for _, m := range monitors {
		for _, r := range m.Runs {
			if r.Err == nil && !r.Plan.Deferred && !b.ready(r.Evaluator) {
				r.Err = ErrLoading
			}
		}
	}
	return monitors
}
