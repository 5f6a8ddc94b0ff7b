// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"net/http"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/opinions"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// AnnotationsAPI takes in what applications say of their users' feedback and of scores of their
// own, as the SDKs of OpenLLMetry send it: about whatever an association property of spans names.
// https://www.traceloop.com/docs/openllmetry/tracing/user-feedback
type AnnotationsAPI struct {
	Records  Records
	Opinions Opinions
	// Tasks are the association properties that the ids of annotations are in, by
	// tasks.
	Tasks map[string]string
	Now   func() time.Time
}

// Routes returns what is served.
func (a *AnnotationsAPI) Routes() []rest.Route {
	return []rest.Route{
		Annotate.Serve(rest.InEnvironment(a.annotate)),
		Score.Serve(rest.InEnvironment(a.score)),
	}
}

// Annotated says of which span something was stored, and under which names. Without a span
// it waits for one.
type Annotated struct {
	TraceID    string   `json:"trace_id" doc:"The trace of the span; empty while there is none."`
	SpanID     string   `json:"span_id" doc:"The span; empty while there is none: the verdicts wait for it, an hour at most."`
	Evaluators []string `json:"evaluators" doc:"What the verdicts are called where evaluators are."`
}

// ScoreRequest is one number about what an attribute names.
type ScoreRequest struct {
	Score      float64   `json:"score" doc:"The score." schema:"required"`
	EntityName string    `json:"entity_name" doc:"The attribute, such as traceloop.association.properties.chat_id, or the association property." schema:"required minLength=1 maxLength=200"`
	EntityID   rest.Text `json:"entity_id" doc:"Its value." schema:"required types=string,integer minLength=1 maxLength=1000"`
}

func (a *AnnotationsAPI) score(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var want ScoreRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	if _, err := query.ParseAttribute(want.EntityName); err != nil {
		return rest.Response{}, fault.Wrap(fault.Invalid, err, "entity_name %s", fault.Message(err))
	}
	given := opinion.Opinion{
		Source: eval.FromSDK, Name: opinion.Score, Time: a.Now().UnixNano(),
		Outputs: []eval.Output{{Name: opinion.Score, Value: want.Score}},
	}
	return a.store(r, env, &opinions.Entity{Keys: keysOf(want.EntityName), ID: string(want.EntityID)}, []opinion.Opinion{given})
}

// store stores opinions about an entity on its span, or keeps them until it comes.
func (a *AnnotationsAPI) store(r *http.Request, env tenant.Environment, about *opinions.Entity, given []opinion.Opinion) (rest.Response, error) {
	now := a.Now()
	key, there, err := about.Find(r.Context(), a.Records, env, now.Add(-env.Retention).UnixNano(), now)
	if err != nil {
		return rest.Response{}, err
	}
	shown := Annotated{TraceID: key.TraceID.String(), SpanID: key.SpanID.String(), Evaluators: make([]string, len(given))}
	on := opinions.Given{TraceID: key.TraceID, SpanID: key.SpanID, Evaluations: make([]eval.Evaluation, len(given))}
	if !there {
		on.About = about
	}
	for i := range given {
		if on.Evaluations[i], err = given[i].Evaluation(); err != nil {
			return rest.Response{}, err
		}
		shown.Evaluators[i] = on.Evaluations[i].Evaluator
	}
	if err := a.Opinions.Add(r.Context(), env, []opinions.Given{on}); err != nil {
		return rest.Response{}, err
	}
	return rest.OK(shown), nil
}
