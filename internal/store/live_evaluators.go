// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

var _ Evaluators = (*Live)(nil)

// CreateEvaluator is that of the role Evaluators. No evaluator is kept in
// memory: none is read on the hot path.
func (l *Live) CreateEvaluator(ctx context.Context, e eval.Custom) error {
	return l.control.CreateEvaluator(ctx, e)
}

// Evaluator is that of the role Evaluators.
func (l *Live) Evaluator(ctx context.Context, env tenant.EnvironmentID, name string) (eval.Custom, error) {
	return l.control.Evaluator(ctx, env, name)
}

// EvaluatorVersion is that of the role Evaluators.
func (l *Live) EvaluatorVersion(ctx context.Context, env tenant.EnvironmentID, name, version string) (eval.Custom, error) {
	return l.control.EvaluatorVersion(ctx, env, name, version)
}

// ListEvaluators is that of the role Evaluators.
func (l *Live) ListEvaluators(ctx context.Context, env tenant.EnvironmentID) ([]eval.Custom, error) {
	return l.control.ListEvaluators(ctx, env)
}

// ReplaceEvaluator is that of the role Evaluators.
func (l *Live) ReplaceEvaluator(ctx context.Context, e eval.Custom) (eval.Custom, error) {
	return l.control.ReplaceEvaluator(ctx, e)
}
