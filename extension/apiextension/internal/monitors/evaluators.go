// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

const evaluatorsField = "evaluators"

// FindEvaluator returns the evaluator of a slug or an id; the fault is of kind
// NotFound if the environment knows none.
type FindEvaluator func(name string) (*eval.Evaluator, error)

// evaluatorRequest is a slug, or an object that names the evaluator and may have
// its settings.
type evaluatorRequest struct {
	slug     string
	settings *EvaluatorConfig // nil for a bare slug
}

// UnmarshalJSON reads either form.
func (q *evaluatorRequest) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, &q.slug)
	}
	return json.Unmarshal(text, &q.settings)
}

// JSONSchema returns both forms.
func (evaluatorRequest) JSONSchema(of func(any) map[string]any) map[string]any {
	return map[string]any{
		"oneOf":     []any{map[string]any{"type": "string"}, of(EvaluatorConfig{})},
		"x-must-be": "the slug of an evaluator, or an object that names it",
	}
}

// wanted are the evaluators that a request names, in its order.
type wanted []wantedEvaluator

type wantedEvaluator struct {
	evaluator *eval.Evaluator
	path      string
	settings  *settings // the other fields of the evaluator's entry, nil for none
}

// customID returns the id of a custom evaluator, "" for a prebuilt one.
func customID(e *eval.Evaluator) string {
	if e.Custom == nil {
		return ""
	}
	return e.Custom.ID
}

// findAll looks up the evaluators that a request names, none of them twice.
func findAll(list []evaluatorRequest, find FindEvaluator) (wanted, error) {
	all := make(wanted, len(list))
	for i := range list {
		var err error
		if all[i], err = list[i].find(fmt.Sprintf("%s[%d]", evaluatorsField, i), find); err != nil {
			return nil, err
		}
		same := func(e wantedEvaluator) bool { return e.evaluator.Slug == all[i].evaluator.Slug }
		if earlier := slices.IndexFunc(all[:i], same); earlier >= 0 {
			return nil, fault.New(fault.Invalid, "%s is the same evaluator as %s[%d]", all[i].path, evaluatorsField, earlier)
		}
	}
	return all, nil
}

func (q *evaluatorRequest) find(path string, find FindEvaluator) (w wantedEvaluator, err error) {
	name := q.slug
	w.path = path
	if q.settings != nil {
		s := q.settings.at(path)
		if err := checkNamed([]settings{s}); err != nil {
			return w, err
		}
		name, w.path = s.name, s.namePath
		if !s.empty() {
			w.settings = &s
		}
	}
	w.evaluator, err = find(name)
	if fault.Is(err, fault.NotFound) {
		return w, fault.New(fault.Invalid, "%s: unknown evaluator slug %.100q", w.path, name)
	}
	return w, err
}

// with returns the evaluators of a setup, each with its settings of either place.
func (w wanted) with(all []settings) ([]monitor.SetupEvaluator, error) {
	if err := checkNamed(all); err != nil {
		return nil, err
	}
	evaluators := make([]monitor.SetupEvaluator, len(w))
	for i := range w {
		evaluators[i] = monitor.SetupEvaluator{Slug: w[i].evaluator.Slug, CustomID: customID(w[i].evaluator), Status: monitor.Pending}
		if w[i].settings == nil {
			continue
		}
		if err := w[i].settings.apply(&evaluators[i], w[i].evaluator); err != nil {
			return nil, err
		}
	}
	done := make([]*settings, len(w))
	for i := range all {
		s := &all[i]
		at := slices.IndexFunc(evaluators, func(e monitor.SetupEvaluator) bool {
			return e.Slug == s.name || e.CustomID != "" && e.CustomID == s.name
		})
		switch {
		case at < 0:
			return nil, fault.New(fault.Invalid, "%s: %.100q is not an evaluator of the setup", s.namePath, s.name)
		case w[at].settings != nil:
			return nil, fault.New(fault.Invalid, "%s: the evaluator has settings in %s already", s.namePath, w[at].path)
		case done[at] != nil:
			return nil, fault.New(fault.Invalid, "%s is the same evaluator as %s", s.namePath, done[at].path)
		}
		done[at] = s
		if err := s.apply(&evaluators[at], w[at].evaluator); err != nil {
			return nil, err
		}
	}
	return evaluators, nil
}
