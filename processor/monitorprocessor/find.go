// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"errors"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

// shelf is where evaluators are found.
type shelf struct {
	catalog *eval.Catalog
	models  model.Provider // nil without models
}

// prebuilt finds an evaluator of the catalog.
func (s *shelf) prebuilt(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
	e, known := s.catalog.Get(w.Slug)
	if !known {
		return nil, fault.New(fault.Invalid, "evaluator %s is not known to this version", w.Slug)
	}
	return e, nil
}

// passing finds an evaluator for spans that pass. A custom one is not looked
// up: whatever it is, it is judged later.
func (s *shelf) passing(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
	if w.CustomID == "" {
		return s.prebuilt(w)
	}
	if s.models == nil {
		return nil, fault.New(fault.NotConfigured, "evaluator %q needs a judge model; configure one in the extension \"models\" and name the extension under \"models\" of the processor \"monitor\"", w.Slug)
	}
	return nil, nil
}

// custom gives a custom evaluator that was looked up.
func (s *shelf) custom(c eval.Custom) *eval.Evaluator {
	return c.Evaluator(func() eval.JudgeModel { return model.JudgeOf(s.models, &c) })
}

// errGone says that the evaluator does not exist any more.
var errGone = errors.New("the evaluator is gone")

// among finds evaluators for setups that came along with these custom ones.
func (s *shelf) among(customs []eval.Custom) func(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
	return func(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
		if w.CustomID == "" {
			return s.prebuilt(w)
		}
		for i := range customs {
			if customs[i].ID == w.CustomID {
				return s.custom(customs[i]), nil
			}
		}
		return nil, errGone
	}
}

// customLabel is what metrics call evaluators of users' own, whose slugs are theirs.
const customLabel = "custom"

// label is what metrics call the evaluator of a run.
func label(r *monitor.Run) string {
	if r.Wish.CustomID != "" || r.Evaluator == nil {
		return customLabel
	}
	return r.Evaluator.Slug
}

// labelOf is what metrics call an evaluator of which only the slug is left.
func (s *shelf) labelOf(slug string) string {
	if _, known := s.catalog.Get(slug); known {
		return slug
	}
	return customLabel
}
