// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

// finder finds the evaluators of setups.
type finder struct {
	registry *eval.Registry
	models   model.Provider // nil without models
}

// newFinder makes a finder of the evaluators in a catalog and of custom ones,
// which customs, if it is not nil, looks up.
func newFinder(catalog *eval.Catalog, models model.Provider, customs eval.CustomEvaluators) *finder {
	if models != nil {
		catalog = catalog.With(models.Models)
	}
	judge := func(c *eval.CustomEvaluator) eval.JudgeModel { return model.JudgeOf(models, c) }
	return &finder{eval.NewRegistry(catalog, customs, judge), models}
}

// passing finds an evaluator for spans that pass. A custom one is not looked
// up: whatever it is, it is judged later.
func (f *finder) passing(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
	if w.CustomID == "" {
		return f.registry.Bound(context.Background(), "", w.Slug, "")
	}
	if f.models == nil {
		return nil, fault.New(fault.NotConfigured, "evaluator %q needs a judge model; configure one in the extension \"models\" and name the extension under \"models\" of the processor \"monitor\"", w.Slug)
	}
	return nil, nil
}

// among finds evaluators for setups that came along with these custom ones. One
// that did not is refused with a fault of kind NotFound.
func (f *finder) among(customs []eval.CustomEvaluator) func(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
	registry := f.registry.Among(customs)
	return func(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
		return registry.Bound(context.Background(), "", w.Slug, w.CustomID)
	}
}

// isGone reports whether an evaluator was not found because it does not exist
// any more.
func isGone(err error) bool { return fault.Is(err, fault.NotFound) }

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
func (f *finder) labelOf(slug string) string {
	if f.registry.IsPrebuilt(slug) {
		return slug
	}
	return customLabel
}
