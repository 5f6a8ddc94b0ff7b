// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/registry"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

// resolver looks up the evaluators of setups.
type resolver struct {
	registry *registry.Registry
	models   eval.ModelProvider // nil without models
}

// newResolver makes a resolver of the evaluators in a catalog and of custom ones,
// which custom, if it is not nil, looks up.
func newResolver(catalog *eval.Catalog, models eval.ModelProvider, custom registry.CustomEvaluators) *resolver {
	if models != nil {
		catalog = catalog.With(models.Models)
	}
	judge := func(c *eval.CustomEvaluator) eval.JudgeModel { return registry.JudgeOf(models, c) }
	return &resolver{registry.New(catalog, custom, judge), models}
}

// passing returns an evaluator for spans that pass. A custom one is not looked
// up: whatever it is, it is judged later.
func (r *resolver) passing(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
	if w.CustomID == "" {
		return r.registry.Bound(context.Background(), "", w.Slug, "")
	}
	if r.models == nil {
		return nil, fault.New(fault.NotConfigured, "evaluator %q needs a judge model; configure one in the extension \"models\" and name the extension under \"models\" of the processor \"monitor\"", w.Slug)
	}
	return nil, nil
}

// among returns a look-up of evaluators for setups that came along with these custom ones. One
// that did not is refused with a fault of kind NotFound.
func (r *resolver) among(custom []eval.CustomEvaluator) func(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
	found := r.registry.Among(custom)
	return func(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
		return found.Bound(context.Background(), "", w.Slug, w.CustomID)
	}
}

// isGone reports whether an evaluator was not found because it does not exist
// any more.
func isGone(err error) bool { return fault.Is(err, fault.NotFound) }

// customLabel is the metrics' label of custom evaluators, whose slugs are not known
// in advance.
const customLabel = "custom"

// label returns the metrics' label of the evaluator of r.
func label(r *monitor.Binding) string {
	if r.Spec.CustomID != "" || r.Evaluator == nil {
		return customLabel
	}
	return r.Evaluator.Slug
}

// labelOf returns the metrics' label of an evaluator by its slug.
func (r *resolver) labelOf(slug string) string {
	if r.registry.IsPrebuilt(slug) {
		return slug
	}
	return customLabel
}
