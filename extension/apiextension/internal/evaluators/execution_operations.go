// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
)

// ExecuteEvaluatorInput has the parameters of an operation.
type ExecuteEvaluatorInput struct {
	Slug string         `path:"slug" doc:"The slug of an evaluator or, where none has it, the id."`
	Body ExecuteRequest `body:"json"`
}

// ExecuteEvaluatorOnSpanInput has the parameters of an operation.
type ExecuteEvaluatorOnSpanInput struct {
	Slug string             `path:"slug" doc:"The slug of an evaluator or, where none has it, the id."`
	Body ExecuteSpanRequest `body:"json"`
}

// StartExecutionInput has the parameters of an operation.
type StartExecutionInput struct {
	Slug string           `path:"slug" doc:"The slug of an evaluator or, where none has it, the id."`
	Body ExecutionRequest `body:"json"`
}

// ReadExecutionInput has the parameters of an operation.
type ReadExecutionInput struct {
	ID string `path:"id" doc:"The execution_id."`
}

// ExecuteEvaluator is the operation execute-evaluator.
var ExecuteEvaluator = rest.Operation[ExecuteEvaluatorInput, eval.Result]{
	Method: http.MethodPost, Path: "/v2/evaluators/{slug}/execute", Scope: rest.ForEnvironment,
	Tag: "Evaluators", ID: "execute-evaluator", Summary: "Run an evaluator",
	Doc:      "Any evaluator, as the paths of the prebuilt ones describe.",
	Answer:   "The verdict.",
	Headers:  map[string]string{"X-Evaluator-Backend": "EvaluatorBackend", "X-Evaluator-Language": "Language", "X-Evaluator-Version": "EvaluatorVersion", "X-Evaluator-Duration-Ms": "EvaluatorDuration", "X-Evaluator-Prompt-Tokens": "EvaluatorPromptTokens", "X-Evaluator-Completion-Tokens": "EvaluatorCompletionTokens", "X-Evaluator-Cost-Usd": "EvaluatorCost", "X-Evaluator-Good": "EvaluatorGood"},
	Refusals: []int{http.StatusNotFound, http.StatusNotImplemented, http.StatusBadGateway, http.StatusGatewayTimeout},
}

// ExecuteEvaluatorOnSpan is the operation execute-evaluator-on-span.
var ExecuteEvaluatorOnSpan = rest.Operation[ExecuteEvaluatorOnSpanInput, ExecutedSpan]{
	Method: http.MethodPost, Path: "/v2/evaluators/{slug}/execute-span", Scope: rest.ForEnvironment,
	Tag: "Evaluators", ID: "execute-evaluator-on-span", Summary: "Run an evaluator on a stored span",
	Doc:      "Judges a span as a setup with this evaluator would, and stores nothing.",
	Answer:   "What came of it.",
	Refusals: []int{http.StatusNotFound, http.StatusNotImplemented, http.StatusBadGateway, http.StatusGatewayTimeout},
}

// TryCustomEvaluator is the operation try-custom-evaluator.
var TryCustomEvaluator = rest.Operation[TryEvaluatorRequest, eval.Result]{
	Method: http.MethodPost, Path: "/v2/evaluators/custom-evaluator/try", Scope: rest.ForEnvironment,
	Tag: "Evaluators", ID: "try-custom-evaluator", Summary: "Try a custom evaluator",
	Doc:      "Runs a custom evaluator that need not exist, and stores nothing. What create-evaluator would refuse is refused, save that its slug may be that of another custom evaluator: a new version is tried in the same way. The version among the headers names nothing that is stored.",
	Answer:   "The verdict.",
	Headers:  map[string]string{"X-Evaluator-Backend": "JudgeBackend", "X-Evaluator-Version": "EvaluatorVersion", "X-Evaluator-Duration-Ms": "EvaluatorDuration", "X-Evaluator-Prompt-Tokens": "EvaluatorPromptTokens", "X-Evaluator-Completion-Tokens": "EvaluatorCompletionTokens", "X-Evaluator-Cost-Usd": "EvaluatorCost", "X-Evaluator-Good": "EvaluatorGood"},
	Refusals: []int{http.StatusConflict, http.StatusNotImplemented, http.StatusBadGateway, http.StatusGatewayTimeout},
}

// StartExecution is the operation start-execution.
var StartExecution = rest.Operation[StartExecutionInput, Execution]{
	Method: http.MethodPost, Path: "/v2/evaluators/{slug}/executions", Scope: rest.ForEnvironment,
	Tag: "Evaluators", ID: "start-execution", Summary: "Begin an execution",
	Doc:      "Runs the evaluator apart from this request. The result is kept in memory for ten minutes, of the latest 2,000 executions of an environment, and is read at stream_url, which is relative to /v2.",
	Answer:   "The execution has begun.",
	Refusals: []int{http.StatusNotFound, http.StatusGatewayTimeout},
}

// ReadExecution is the operation read-execution.
var ReadExecution = rest.Operation[ReadExecutionInput, Executed]{
	Method: http.MethodGet, Path: "/v2/executions/{id}/stream", Scope: rest.ForEnvironment,
	Tag: "Evaluators", ID: "read-execution", Summary: "Wait for an execution",
	Doc:      "Answers once there is a result: one object and no stream of events. A refused or failed evaluation is answered as its own refusal.",
	Answer:   "The result.",
	Headers:  map[string]string{"X-Evaluator-Backend": "EvaluatorBackend", "X-Evaluator-Language": "Language"},
	Refusals: []int{http.StatusBadRequest, http.StatusNotFound, http.StatusRequestEntityTooLarge, http.StatusNotImplemented, http.StatusBadGateway, http.StatusGatewayTimeout},
}

// GuardEvaluator is the operation guard-evaluator.
var GuardEvaluator = rest.Operation[ExecuteEvaluatorInput, Guarded]{
	Method: http.MethodPost, Path: "/v2/guardrails/{slug}/execute", Scope: rest.ForEnvironment,
	Tag: "Evaluators", ID: "guard-evaluator", Summary: "Run an evaluator as a guard",
	Doc:      "Any evaluator, as the paths of the prebuilt ones describe. pass is false if an output speaks against the text: pass, success, correct_args, is_safe, is_relevant, is_faithful, is_valid or is_valid_* is false, has_pii, has_secret or has_injection is true, or tool_selection is not correct. Numbers never speak against it.",
	Answer:   "The verdict and what it means.",
	Headers:  map[string]string{"X-Evaluator-Backend": "EvaluatorBackend", "X-Evaluator-Language": "Language"},
	Refusals: []int{http.StatusNotFound, http.StatusNotImplemented, http.StatusBadGateway, http.StatusGatewayTimeout},
}
