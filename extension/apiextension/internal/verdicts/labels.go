// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"context"
	"net/http"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/opinions"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Opinions is where labels and annotations are stored, under the contract of opinions.Book.
type Opinions interface {
	Add(ctx context.Context, env tenant.Environment, given []opinions.Given) error
	Correct(ctx context.Context, env tenant.Environment, key span.Key, made eval.Evaluation, correcting int64) (eval.Evaluation, error)
}

// LabelsAPI takes in what people say of spans, and draws spans for them to look at.
type LabelsAPI struct {
	Opinions Opinions
	Records  Records
	Setups   Setups
	Cursors  *query.Cursors
	Now      func() time.Time
}

// Routes returns what is served.
func (a *LabelsAPI) Routes() []rest.Route {
	return []rest.Route{
		LabelSpan.Serve(rest.InEnvironment(a.label)),
		DrawLabels.Serve(rest.InEnvironment(a.draw)),
	}
}

// LabelRequest is a label as its user writes it.
type LabelRequest struct {
	Name     string `json:"name" doc:"The criterion, such as correct or tone." schema:"required minLength=1 maxLength=200"`
	Value    any    `json:"value" doc:"What the person says of it." schema:"required types=string,number,boolean maxLength=1000"`
	Author   string `json:"author" doc:"The person: a name, an address or an id." schema:"required minLength=1 maxLength=200"`
	Comment  string `json:"comment" doc:"Why." schema:"maxLength=10000"`
	Corrects int64  `json:"corrects" doc:"The revision of the author's label that this one corrects: refused with 409 if that is not the latest. Absent: whichever is." schema:"minimum=1"`
}

// Label is a stored label.
type Label struct {
	TraceID   string `json:"trace_id" doc:"The trace of the span."`
	SpanID    string `json:"span_id" doc:"The span."`
	Name      string `json:"name" doc:"The criterion, such as correct or tone." schema:"minLength=1 maxLength=200"`
	Value     any    `json:"value" doc:"What the person says of it." schema:"types=string,number,boolean"`
	Author    string `json:"author" doc:"The person: a name, an address or an id." schema:"minLength=1 maxLength=200"`
	Comment   string `json:"comment,omitempty" doc:"Why."`
	Time      string `json:"time" doc:"When it was given." schema:"format=date-time"`
	Evaluator string `json:"evaluator" doc:"What it is called where evaluators are: human:<name>."`
	Revision  int64  `json:"revision" doc:"1, and one more for each correction by the same author." schema:"minimum=1"`
}

// label stores what a person says of a span.
func (a *LabelsAPI) label(r *http.Request, env tenant.Environment) (rest.Response, error) {
	key, err := rest.PathSpan(r)
	if err != nil {
		return rest.Response{}, err
	}
	var want LabelRequest
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
	shown := showLabel(&stored)
	shown.TraceID, shown.SpanID = key.TraceID.String(), key.SpanID.String()
	return rest.Response{Status: http.StatusCreated, Body: shown}, nil
}

// showLabel returns a label as it is stored.
func showLabel(e *eval.Evaluation) Label {
	o, _ := opinion.Of(e)
	shown := Label{Name: o.Name, Evaluator: e.Evaluator, Time: rest.Time(time.Unix(0, e.Time)), Revision: e.Revision + 1}
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
