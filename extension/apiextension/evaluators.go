// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"net/http"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

type executeRequest struct {
	Input  json.RawMessage `json:"input"`
	Config json.RawMessage `json:"config"`
}

// execute runs one evaluator and says what computed the verdict.
func (a *api) execute(r *http.Request, _ tenant.Environment) (answer, error) {
	evaluator, found := a.catalog.Get(pathValue(r, "slug"))
	if !found {
		return answer{}, fault.New(fault.NotFound, "evaluator not found")
	}
	var want executeRequest
	if err := decode(r, &want); err != nil {
		return answer{}, err
	}
	result, err := evaluator.FromJSON(r.Context(), want.Input, want.Config)
	if err != nil {
		return answer{}, err
	}
	return answer{
		status: http.StatusOK,
		header: http.Header{"X-Evaluator-Backend": {string(result.Backend)}},
		body:   result,
	}, nil
}
