// SPDX-License-Identifier: Apache-2.0

// Package labels takes in what people say of spans, and draws spans for them to
// look at.
package labels

import (
	"context"
	"net/http"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/givers"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Opinions is where labels are stored, under the contract of opinions.Book.
type Opinions interface {
	Correct(ctx context.Context, env tenant.Environment, key span.Key, made eval.Evaluation, correcting int64) (eval.Evaluation, error)
}

// API serves labels.
type API struct {
	Opinions Opinions
	Records  Records
	Setups   givers.Setups
	Cursors  *query.Cursors
	Now      func() time.Time
}

// Routes returns what is served.
func (a *API) Routes() []rest.Route {
	return []rest.Route{
		rest.Environment(http.MethodPost, "/v2/warehouse/spans/{trace_id}/{span_id}/labels", a.label),
		rest.Environment(http.MethodGet, "/v2/labels/draw", a.draw),
	}
}

// request is a label as its user writes it.
type request struct {
	Name     string `json:"name"`
	Value    any    `json:"value"` // a text, a number or a boolean
	Author   string `json:"author"`
	Comment  string `json:"comment"`
	Corrects int64  `json:"corrects"` // the revision that must be the latest; 0 is any
}

type answer struct {
	TraceID string `json:"trace_id"`
	SpanID  string `json:"span_id"`
	Name    string `json:"name"`
	Value   any    `json:"value"`
	Author  string `json:"author"`
	Comment string `json:"comment,omitempty"`
	Time    string `json:"time"`
	// Evaluator is what verdicts of this name are called where evaluators are.
	Evaluator string `json:"evaluator"`
	Revision  int64  `json:"revision"` // from 1 on
}

// label stores what a person says of a span.
func (a *API) label(r *http.Request, env tenant.Environment) (rest.Response, error) {
	key, err := rest.PathSpan(r)
	if err != nil {
		return rest.Response{}, err
	}
	var want request
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	given := opinion.Opinion{
		Source: eval.FromHuman, By: want.Author, Name: want.Name, Time: a.Now().UnixNano(),
		Outputs: []eval.Output{{Name: opinion.Value, Value: want.Value}, {Name: opinion.Author, Value: want.Author}},
	}
	if want.Comment != "" {
		given.Outputs = append(given.Outputs, eval.Output{Name: opinion.Comment, Value: want.Comment})
	}
	made, err := given.Evaluation()
	if err != nil {
		return rest.Response{}, err
	}
	stored, err := a.Opinions.Correct(r.Context(), env, key, made, want.Corrects)
	if err != nil {
		return rest.Response{}, err
	}
	shown := show(&stored)
	shown.TraceID, shown.SpanID = key.TraceID.String(), key.SpanID.String()
	return rest.Response{Status: http.StatusCreated, Body: shown}, nil
}

// show returns a label as it is stored.
func show(e *eval.Evaluation) answer {
	o, _ := opinion.Of(e)
	shown := answer{Name: o.Name, Evaluator: e.Evaluator, Time: rest.Time(time.Unix(0, e.Time)), Revision: e.Revision + 1}
	for _, output := range e.Outputs {
		text, _ := output.Value.(string)
		switch output.Name {
		case opinion.Value:
			shown.Value = output.Value
		case opinion.Author:
			shown.Author = text
		case opinion.Comment:
			shown.Comment = text
		}
	}
	return shown
}
