// SPDX-License-Identifier: Apache-2.0

package annotations

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// annotationRequest is what the SDKs send of one entity.
type annotationRequest struct {
	EntityInstanceID string         `json:"entity_instance_id"`
	EntityName       string         `json:"entity_name"` // the association property; the SDKs do not tell it
	Tags             map[string]any `json:"tags"`
	Flow             string         `json:"flow"`
	Actor            struct {
		Type string `json:"type"`
		ID   string `json:"id"`
	} `json:"actor"`
}

// userFeedback is the flow of annotations that tell what users said.
const userFeedback = "user_feedback"

// property starts the attributes of association properties.
const property = "traceloop.association.properties."

// properties are the association properties, and the attributes of other
// conventions for the same things, in which an entity's id is looked for where it
// is not told which of them it is.
var properties = []string{
	property + "chat_id", property + "conversation_id", property + "session_id", property + "thread_id", property + "message_id", property + "request_id",
	property + "run_id", property + "workflow_id", property + "entity_id", property + "user_id", property + "id",
	"gen_ai.conversation.id", "session.id", "user.id",
}

func (a *API) annotate(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var want annotationRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	task := rest.PathValue(r, "task")
	opinions, err := want.opinions(task, a.Now().UnixNano())
	if err != nil {
		return rest.Response{}, err
	}
	names := append([]string{property + task}, properties...)
	if want.EntityName != "" {
		names = []string{property + want.EntityName}
	}
	fields := make([]query.Field, len(names))
	for i, name := range names {
		if fields[i], err = query.ParseAttribute(name); err != nil {
			return rest.Response{}, err
		}
	}
	key, err := a.find(r.Context(), env, fields, want.EntityInstanceID)
	if err != nil {
		return rest.Response{}, err
	}
	return a.store(r, env, key, opinions)
}

// opinions returns one for each tag, named by task and tag.
func (q *annotationRequest) opinions(task string, at int64) ([]opinion.Opinion, error) {
	kind := cmp.Or(q.Flow, userFeedback)
	if kind == userFeedback {
		kind = "human"
	}
	var list []opinion.Opinion
	for _, tag := range slices.Sorted(maps.Keys(q.Tags)) {
		value := q.Tags[tag]
		if texts, is := value.([]any); is {
			joined, err := json.Marshal(texts)
			if err != nil {
				return nil, fmt.Errorf("write the tag %q: %w", tag, err)
			}
			value = string(joined)
		}
		o := opinion.Opinion{
			Source: eval.FromSDK, By: q.Actor.ID, Name: task + "." + tag, Time: at,
			Outputs: []eval.Output{{Name: opinion.Value, Value: value}, {Name: opinion.Kind, Value: kind}},
		}
		if len(o.Name) > opinion.MaxName {
			return nil, fault.New(fault.Invalid, "tags: the names of task and tag must be at most %d bytes long together", opinion.MaxName-1)
		}
		list = append(list, o)
	}
	return list, nil
}
