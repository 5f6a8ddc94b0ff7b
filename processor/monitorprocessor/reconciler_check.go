// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

// complaints finds out why evaluators of this status cannot run, "" for those
// that can, and has those load what they need. The error says that it could not
// be found out.
func (r *reconciler) complaints(ctx context.Context, s *monitor.Setup, of monitor.Status) (func(w *monitor.SetupEvaluator) string, error) {
	found := map[string]string{}
	for i := range s.Evaluators {
		w := &s.Evaluators[i]
		if w.Status != of {
			continue
		}
		complaint, err := r.complaint(ctx, s, w)
		if err != nil {
			return nil, err
		}
		found[w.Slug] = complaint
	}
	return func(w *monitor.SetupEvaluator) string { return found[w.Slug] }, nil
}

func (r *reconciler) complaint(ctx context.Context, s *monitor.Setup, w *monitor.SetupEvaluator) (string, error) {
	e, err := r.resolver.registry.Bound(ctx, s.EnvironmentID, w.Slug, w.CustomID)
	switch {
	case isGone(err):
		return "evaluator " + w.Slug + " does not exist any more", nil
	case err != nil && w.CustomID != "":
		return "", err
	}
	alone := *s
	alone.Evaluators = []monitor.SetupEvaluator{*w}
	b := monitor.Compile(&alone, func(*monitor.SetupEvaluator) (*eval.Evaluator, error) { return e, err }).Bindings[0]
	switch {
	case b.Err != nil:
		return reason(b.Err), nil
	case !b.Plan.Deferred:
		r.loader.wait(ctx, b.Evaluator)
	}
	return "", nil
}
