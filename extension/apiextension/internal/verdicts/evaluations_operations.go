// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// SearchEvaluations is the operation search-evaluations.
var SearchEvaluations = rest.Operation[EvaluationSearch, EvaluationRows]{
	Method: http.MethodPost, Path: "/v2/evaluations/search", Scope: rest.ForEnvironment,
	Tag: "Metrics", ID: "search-evaluations", Summary: "Search evaluations",
	Doc:      "Gives the evaluations of every status on the spans of a period one by one, those of the spans that started last first. The evaluation that counts of each setup and evaluator is looked at, as wherever evaluations are filtered.",
	Answer:   "One page.",
	Refusals: []int{http.StatusGatewayTimeout},
}
