// SPDX-License-Identifier: Apache-2.0

// Package annotations takes in what applications say of their users' feedback and
// of scores of their own, as the SDKs of OpenLLMetry send it: about whatever an
// association property of spans names.
// https://www.traceloop.com/docs/openllmetry/tracing/user-feedback
package annotations

import (
	"context"
	"net/http"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/opinions"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Records is the part of store.Engine that is needed here.
type Records interface{ store.Searcher }

// Opinions is where annotations are stored, under the contract of opinions.Book.
type Opinions interface {
	Add(ctx context.Context, env tenant.Environment, given []opinions.Given) error
}

// API takes in annotations.
type API struct {
	Records  Records
	Opinions Opinions
	Now      func() time.Time
}

// Routes returns what is served.
func (a *API) Routes() []rest.Route {
	return []rest.Route{
		rest.Environment(http.MethodPost, "/v2/annotation-tasks/{task}/annotations", a.annotate),
		rest.Environment(http.MethodPost, "/v1/traceloop/score", a.score),
	}
}

// answer says of which span something was stored, and under which names.
type answer struct {
	TraceID    string   `json:"trace_id"`
	SpanID     string   `json:"span_id"`
	Evaluators []string `json:"evaluators"`
}

// scoreRequest is one number about what an attribute names.
type scoreRequest struct {
	Score      float64 `json:"score"`
	EntityName string  `json:"entity_name"` // the attribute
	EntityID   string  `json:"entity_id"`   // its value
}

func (a *API) score(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var want scoreRequest
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	field, err := query.ParseAttribute(want.EntityName)
	if err != nil {
		return rest.Response{}, fault.Wrap(fault.Invalid, err, "entity_name %s", fault.Message(err))
	}
	key, err := a.find(r.Context(), env, []query.Field{field}, want.EntityID)
	if err != nil {
		return rest.Response{}, err
	}
	given := opinion.Opinion{
		Source: eval.FromSDK, Name: opinion.Score, Time: a.Now().UnixNano(),
		Outputs: []eval.Output{{Name: opinion.Score, Value: want.Score}},
	}
	return a.store(r, env, key, []opinion.Opinion{given})
}

// find returns the span that an entity is about: of the latest trace that has a
// span with its id, the earliest of those spans.
func (a *API) find(ctx context.Context, env tenant.Environment, fields []query.Field, id string) (key span.Key, err error) {
	alternatives := make([]query.Filter, len(fields))
	for i, f := range fields {
		alternatives[i] = query.Filter{Field: f, Operator: query.OpEquals, Value: id}
	}
	now := a.Now()
	q := query.Query{
		Subject: query.Spans, From: now.Add(-env.Retention).UnixNano(), To: now.Add(time.Hour).UnixNano(),
		Filters: []query.Filter{query.Any(alternatives...)}, Order: query.Order{By: query.SortTimestamp, Descending: true}, Limit: 1,
	}
	latest, err := a.Records.Search(ctx, env, q)
	if err != nil {
		return key, err
	}
	if len(latest.Spans) == 0 {
		return key, fault.New(fault.NotFound, "no span has this id in an association property")
	}
	trace := latest.Spans[0].TraceID.String()
	q.Filters = append(q.Filters, query.Filter{Field: query.Field{Kind: query.FieldColumn, Name: "trace_id"}, Operator: query.OpEquals, Value: trace})
	q.Order.Descending = false
	first, err := a.Records.Search(ctx, env, q)
	if err != nil || len(first.Spans) == 0 { // it was replaced this moment
		return latest.Spans[0].Key(), err
	}
	return first.Spans[0].Key(), nil
}

// store stores opinions on a span.
func (a *API) store(r *http.Request, env tenant.Environment, key span.Key, given []opinion.Opinion) (rest.Response, error) {
	shown := answer{TraceID: key.TraceID.String(), SpanID: key.SpanID.String(), Evaluators: make([]string, len(given))}
	made := make([]eval.Evaluation, len(given))
	for i := range given {
		var err error
		if made[i], err = given[i].Evaluation(); err != nil {
			return rest.Response{}, err
		}
		shown.Evaluators[i] = made[i].Evaluator
	}
	if err := a.Opinions.Add(r.Context(), env, []opinions.Given{{TraceID: key.TraceID, SpanID: key.SpanID, Evaluations: made}}); err != nil {
		return rest.Response{}, err
	}
	return rest.OK(shown), nil
}
