// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Monitor is a wish come true: a setup with those of its evaluators that can
// run at hand.
type Monitor struct {
	Setup      *Setup
	Evaluators []*eval.Evaluator
	// Chained says that the selector reads verdicts, so the monitor comes after
	// those that make them.
	Chained bool

	matched atomic.Bool
}

// FirstMatch reports, once in the life of this monitor, that a span matched
// a setup whose status does not tell so yet.
func (m *Monitor) FirstMatch() bool {
	return !m.matched.Load() && m.matched.CompareAndSwap(false, true)
}

// Board holds the monitors of every environment, compiled from its setups
// when they are first asked for after a change. It is safe for concurrent use
// and reading what is compiled takes no lock.
type Board struct {
	catalog      *eval.Catalog
	environments sync.Map // tenant.EnvironmentID -> *compiled
}

type compiled struct {
	setups   []Setup
	monitors []*Monitor
}

// NewBoard makes an empty board whose monitors draw on catalog.
func NewBoard(catalog *eval.Catalog) *Board { return &Board{catalog: catalog} }

// Monitors gives the monitors of an environment with these setups, plain ones
// before chained ones, each in the order of setups. The slice of setups must
// not change any more: the same slice is compiled once.
func (b *Board) Monitors(env tenant.EnvironmentID, setups []Setup) []*Monitor {
	if len(setups) == 0 {
		return nil
	}
	if v, ok := b.environments.Load(env); ok {
		c := v.(*compiled)
		if len(c.setups) == len(setups) && &c.setups[0] == &setups[0] {
			return c.monitors
		}
	}
	c := &compiled{setups: setups, monitors: b.compile(setups)}
	b.environments.Store(env, c)
	return c.monitors
}

func (b *Board) compile(setups []Setup) []*Monitor {
	var plain, chained []*Monitor
	for i := range setups {
		m := &Monitor{Setup: &setups[i], Chained: setups[i].Selector.readsVerdicts()}
		m.matched.Store(setups[i].Status.Settled())
		for _, e := range setups[i].Evaluators {
			if known, ok := b.catalog.Get(e.Slug); ok && CanRun(known) == nil {
				m.Evaluators = append(m.Evaluators, known)
			}
		}
		if m.Chained {
			chained = append(chained, m)
		} else {
			plain = append(plain, m)
		}
	}
	return append(plain, chained...)
}

// CanRun says why an evaluator cannot judge spans as they pass: a fault with
// the message for whoever wants it. The first call may take seconds, while the
// evaluator loads what it needs.
func CanRun(e *eval.Evaluator) error {
	plan, err := e.Plan(nil)
	if err == nil && plan.Deferred {
		return fault.New(fault.Unavailable, "%s asks a model server, which spans do not wait for", e.Slug)
	}
	return err
}

func (s Selector) readsVerdicts() bool {
	for _, r := range s {
		if r.Origin == SpanAttributes && strings.HasPrefix(r.Key, tenant.EvaluationPrefix) {
			return true
		}
	}
	return false
}
