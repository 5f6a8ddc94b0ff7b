// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

// AnnotateInput has the parameters of an operation.
type AnnotateInput struct {
	Task string            `path:"task" doc:"The annotation task, by which the tags are named." schema:"minLength=1 maxLength=150"`
	Body AnnotationRequest `body:"json"`
}

// Annotate is the operation annotate.
var Annotate = rest.Operation[AnnotateInput, Annotated]{
	Method: http.MethodPost, Path: "/v2/annotation-tasks/{task}/annotations", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "annotate", Summary: "Annotate what an association property names",
	Doc:      "What the SDKs of OpenLLMetry send as feedback of users. Each tag is a verdict of source sdk with the name <task>.<tag>, on the earliest span of the latest trace that has the id in an association property: the one of entity_name or, where that is missing, that of annotation_tasks in the configuration, else one that is named like the task, or chat_id, conversation_id, session_id, thread_id, message_id, request_id, run_id, workflow_id, entity_id or user_id, also as chatId and so on, or id; behind every prefix by which SDKs send association properties, and as gen_ai.conversation.id, session.id and user.id. Where no span has it yet, the verdicts wait for one, an hour at most.",
	Answer:   "On which span it was stored.",
	Refusals: []int{http.StatusNotFound},
}

// Score is the operation score.
var Score = rest.Operation[ScoreRequest, Annotated]{
	Method: http.MethodPost, Path: "/v1/traceloop/score", Scope: rest.ForEnvironment,
	Tag: "Spans", ID: "score", Summary: "Score what an attribute names",
	Doc:      "What older SDKs of OpenLLMetry send: a verdict sdk:score on the earliest span of the latest trace that has the attribute with this value.",
	Answer:   "On which span it was stored.",
	Refusals: []int{http.StatusNotFound},
}
