// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"encoding/json"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

// By returns the binding that judges by this backend, for a process that makes what
// another one decided: where the setup leaves the choice, what is chosen must not depend
// on the models that this process has. Its Err is a fault of kind NotConfigured if the
// model is not here. It is r itself where the setup names a backend, where nothing was
// decided, and where the evaluator does not know the backend.
func (r *Binding) By(decided eval.Backend) *Binding {
	switch {
	case decided == "", r.Evaluator == nil, r.Err == nil && r.Plan.Backend == decided,
		r.Err != nil && !fault.Is(r.Err, fault.NotConfigured),
		!r.Spec.leavesBackend(), !slices.Contains(r.Evaluator.Backends(), decided):
		return r
	}
	named := *r.Spec
	named.Backend = string(decided)
	config, err := named.configuration()
	if err != nil {
		return r
	}
	by := *r
	by.kind = kindOf(&named, r.others)
	by.asked, by.lacking, by.cascades, by.skips = nil, nil, false, false
	if by.Plan, by.Err = r.Evaluator.Plan(config); by.Err != nil {
		return &by
	}
	by.meet()
	by.judge, by.Err = by.Evaluator.Prepare(config)
	return &by
}

// leavesBackend reports whether the choice of the backend is left to the evaluator.
func (w *SetupEvaluator) leavesBackend() bool {
	named := w.Backend
	if named == "" {
		var config struct {
			Backend string `json:"backend"`
		}
		if len(w.Config) > 0 && json.Unmarshal(w.Config, &config) != nil {
			return false
		}
		named = config.Backend
	}
	return named == "" || named == backendAuto
}

// Decided returns what is to judge, by the slugs of evaluators: for the caller that has the order
// carried out by a process that may have other models. Those that cannot judge here are
// left out.
func (m *Monitor) Decided() map[string]eval.Backend {
	decided := make(map[string]eval.Backend, len(m.Bindings))
	for _, r := range m.Bindings {
		if r.Err == nil && r.Plan.Backend != "" {
			decided[r.Spec.Slug] = r.Plan.Backend
		}
	}
	return decided
}

// As returns the setup with what was decided, for the process that judges.
func (s *Setup) As(decided map[string]eval.Backend) Setup {
	as := *s
	as.Evaluators = slices.Clone(s.Evaluators)
	for i := range as.Evaluators {
		as.Evaluators[i].Decided = decided[as.Evaluators[i].Slug]
	}
	return as
}
