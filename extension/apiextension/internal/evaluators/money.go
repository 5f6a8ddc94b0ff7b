// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Money limits the cost of executions, and records what they cost.
type Money interface {
	MaySpend(ctx context.Context, env tenant.Environment) error
	Spent(env tenant.EnvironmentID, dollars float64)
}

// paid returns the evaluator as one whose models are asked for an environment while
// it may spend money, and what tells afterwards what they cost. What a caller has
// asked for is paid when he has left, too.
func (a *ExecutionsAPI) paid(ctx context.Context, env tenant.Environment, e *eval.Evaluator) (with *eval.Evaluator, record func()) {
	ctx = context.WithoutCancel(ctx)
	m := &eval.Meter{May: func() error { return a.Money.MaySpend(ctx, env) }}
	return e.Metered(m), func() { a.Money.Spent(env.ID, m.Usage().Cost) }
}
