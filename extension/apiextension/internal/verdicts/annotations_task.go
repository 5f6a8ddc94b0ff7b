// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/opinions"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// AnnotationRequest is what the SDKs send of one entity.
type AnnotationRequest struct {
	EntityInstanceID rest.Text       `json:"entity_instance_id" doc:"The id, as the association property has it." schema:"required types=string,integer minLength=1 maxLength=1000"`
	EntityName       string          `json:"entity_name" doc:"Which association property has it." schema:"minLength=1 maxLength=200"`
	Tags             map[string]any  `json:"tags" doc:"What is said, by tag: a text, a number, a boolean or a list of texts." schema:"required maxProperties=100 minProperties=1" items:"schema:\"types=string,number,boolean,array maxLength=10000 maxItems=100 elements=string\" items:\"schema:\\\"maxLength=1000\\\"\""`
	Flow             string          `json:"flow" doc:"user_feedback, which is the default: the kind of the verdict is human then." schema:"maxLength=200"`
	Source           string          `json:"source" doc:"sdk; whatever it says, the source of the verdict is sdk." schema:"maxLength=200"`
	Actor            annotationActor `json:"actor" doc:"Who reports it."`
}

// annotationActor is the reporter of an annotation.
type annotationActor struct {
	Type string `json:"type" doc:"Such as service." schema:"maxLength=200"`
	ID   string `json:"id" doc:"Which; reports of several do not take each other's place." schema:"maxLength=200"`
}

// userFeedback is the flow of annotations that tell what users said.
const userFeedback = "user_feedback"

// things are the kinds of objects that an entity's id may belong to, where the request does
// not say which, as applications associate them with their spans.
var things = []string{"chat", "conversation", "session", "thread", "message", "request", "run", "workflow", "entity", "user"}

// keysOf returns the attributes that may have an association property, which may be
// named by an attribute itself.
func keysOf(property string) []string {
	keys := semconv.AssociationKeys(property)
	for _, prefix := range semconv.AssociationPrefixes {
		if strings.HasPrefix(property, prefix) {
			return []string{property}
		}
	}
	return append(keys, property)
}

// keysOfTask returns the attributes in which the ids of a task's entities may be: as the
// property that the configuration names or, unless it does, as one that is named like the
// task or like what there usually is. The prefix that SDKs with annotations have is first.
func (a *AnnotationsAPI) keysOfTask(task string) []string {
	if property := a.Tasks[task]; property != "" {
		return keysOf(property)
	}
	names := []string{task, "id"}
	for _, thing := range things {
		names = append(names, thing+"_id", thing+"Id")
	}
	var own, conventions, others []string
	for _, name := range names {
		keys := semconv.AssociationKeys(name)
		own = append(own, keys[0])
		others = append(others, keys[1:len(semconv.AssociationPrefixes)]...)
		for _, key := range keys[len(semconv.AssociationPrefixes):] {
			if !slices.Contains(conventions, key) {
				conventions = append(conventions, key)
			}
		}
	}
	return slices.Concat(own, conventions, others)
}

func (a *AnnotationsAPI) annotate(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var want AnnotationRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	task := rest.PathValue(r, "task")
	given, err := want.opinions(task, a.Now().UnixNano())
	if err != nil {
		return rest.Response{}, err
	}
	keys := a.keysOfTask(task)
	if want.EntityName != "" {
		if _, err := query.ParseAttribute(want.EntityName); err != nil {
			return rest.Response{}, fault.Wrap(fault.Invalid, err, "entity_name %s", fault.Message(err))
		}
		keys = keysOf(want.EntityName)
	}
	return a.store(r, env, &opinions.Entity{Keys: keys, ID: string(want.EntityInstanceID)}, given)
}

// opinions returns one for each tag, named by task and tag.
func (q *AnnotationRequest) opinions(task string, at int64) ([]opinion.Opinion, error) {
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
