// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"net/http"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// TryEvaluatorRequest is a custom evaluator that need not exist, and what to run it on.
type TryEvaluatorRequest struct {
	Evaluator CustomEvaluatorRequest `json:"evaluator" doc:"The evaluator, as create-evaluator takes it." schema:"required"`
	ExecuteRequest
}

// try runs a custom evaluator as its author writes it, and stores nothing.
func (a *ExecutionsAPI) try(r *http.Request, env tenant.Environment) (rest.Response, error) {
	begun := time.Now()
	var want TryEvaluatorRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	c, err := want.Evaluator.Define(env.ID, a.Evaluators)
	if err != nil {
		return rest.Response{}, fault.Wrap(fault.KindOf(err), err, "evaluator.%s", fault.Message(err))
	}
	bytes := len(want.Input) + len(want.Config)
	result, err := a.run(r.Context(), env, a.Evaluators.Bind(c), bytes, func() (ExecuteRequest, error) { return want.ExecuteRequest, nil })
	if err != nil {
		return rest.Response{}, err
	}
	return executed(&result, time.Since(begun)), nil
}
