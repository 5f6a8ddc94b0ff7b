// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// ListEvaluatorsInput has the parameters of an operation.
type ListEvaluatorsInput struct {
	Source string `query:"source" doc:"Only evaluators of this source." enum:"custom,prebuilt,"`
}

// GetEvaluatorInput has the parameters of an operation.
type GetEvaluatorInput struct {
	Slug string `path:"slug" doc:"The slug of an evaluator or, where none has it, the id."`
}

// UpdateEvaluatorInput has the parameters of an operation.
type UpdateEvaluatorInput struct {
	Slug string                `path:"slug" doc:"The slug of an evaluator or, where none has it, the id."`
	Body CustomEvaluatorChange `body:"json"`
}

// ListEvaluators is the operation list-evaluators.
var ListEvaluators = rest.Operation[ListEvaluatorsInput, EvaluatorList]{
	Method: http.MethodGet, Path: "/v2/evaluators", Scope: rest.ForEnvironment,
	Tag: "Evaluators", ID: "list-evaluators", Summary: "List evaluators",
	Doc:      "Those of this service by slug, then those of the environment, oldest first.",
	Answer:   "The evaluators.",
	Refusals: []int{http.StatusGatewayTimeout},
}

// CreateEvaluator is the operation create-evaluator.
var CreateEvaluator = rest.Operation[CustomEvaluatorRequest, CustomEvaluator]{
	Method: http.MethodPost, Path: "/v2/evaluators", Scope: rest.ForEnvironment,
	Tag: "Evaluators", ID: "create-evaluator", Summary: "Create a custom evaluator",
	Doc:      "Makes an evaluator that asks a judge in the words of its author. It belongs to the environment. Its inputs and outputs are required; inputs reach the judge as data between delimiters, and its answer has to fit the outputs.",
	Answer:   "The evaluator.",
	Refusals: []int{http.StatusConflict, http.StatusGatewayTimeout},
}

// CreateCustomEvaluator is the operation create-custom-evaluator.
var CreateCustomEvaluator = rest.Operation[CustomEvaluatorRequest, CustomEvaluator]{
	Method: http.MethodPost, Path: "/v2/evaluators/custom-evaluator", Scope: rest.ForEnvironment,
	Tag: "Evaluators", ID: "create-custom-evaluator", Summary: "Create a custom evaluator",
	Doc:      "Another path of create-evaluator.",
	Answer:   "The evaluator.",
	Refusals: []int{http.StatusConflict, http.StatusGatewayTimeout},
}

// GetEvaluator is the operation get-evaluator.
var GetEvaluator = rest.Operation[GetEvaluatorInput, Evaluator]{
	Method: http.MethodGet, Path: "/v2/evaluators/{slug}", Scope: rest.ForEnvironment,
	Tag: "Evaluators", ID: "get-evaluator", Summary: "Get an evaluator",
	Doc:      "One evaluator by its slug or id.",
	Answer:   "The evaluator.",
	Refusals: []int{http.StatusNotFound, http.StatusGatewayTimeout},
}

// GetEvaluatorSchema is the operation get-evaluator-schema.
var GetEvaluatorSchema = rest.Operation[GetEvaluatorInput, EvaluatorSchema]{
	Method: http.MethodGet, Path: "/v2/evaluators/{slug}/schema", Scope: rest.ForEnvironment,
	Tag: "Evaluators", ID: "get-evaluator-schema", Summary: "Get the schemas of an evaluator",
	Doc:      "Gives all that a form for an evaluator is made of: JSON Schemas, examples, and what can judge now.",
	Answer:   "The schemas.",
	Refusals: []int{http.StatusBadRequest, http.StatusNotFound, http.StatusGatewayTimeout},
}

// UpdateEvaluator is the operation update-evaluator.
var UpdateEvaluator = rest.Operation[UpdateEvaluatorInput, CustomEvaluatorChanged]{
	Method: http.MethodPatch, Path: "/v2/evaluators/{slug}", Scope: rest.ForEnvironment,
	Tag: "Evaluators", ID: "update-evaluator", Summary: "Update a custom evaluator",
	Doc:      "Makes a new version: what the body has replaces what was, what it leaves out stays. The latest 50 versions are kept.",
	Answer:   "The evaluator.",
	Refusals: []int{http.StatusNotFound, http.StatusConflict, http.StatusGatewayTimeout},
}

// DeleteEvaluator is the operation delete-evaluator.
var DeleteEvaluator = rest.Operation[GetEvaluatorInput, rest.None]{
	Method: http.MethodDelete, Path: "/v2/evaluators/{slug}", Scope: rest.ForEnvironment,
	Tag: "Evaluators", ID: "delete-evaluator", Summary: "Delete a custom evaluator",
	Doc:    "With all its versions. What it judged stays. One that an auto monitor setup has is refused with 409, which names the setup.",
	Status: http.StatusNoContent, Answer: "The evaluator is gone.",
	Refusals: []int{http.StatusNotFound, http.StatusConflict, http.StatusGatewayTimeout},
}
