// SPDX-License-Identifier: Apache-2.0

// Package verdicts serves the results that spans have: evaluations one by one, metrics, figures
// in groups, and agreement between two sources. It also takes in what people and applications
// say of spans.
package verdicts

import (
	"context"
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Records is the part of store.Engine that is needed here.
type Records interface {
	store.Searcher
	store.SpanReader
	store.EvaluationReader
	store.Aggregator
}

// Setups is the part of store.Control that is needed here, under the contract of its
// collection.
type Setups interface {
	Get(ctx context.Context, env tenant.EnvironmentID, name string) (monitor.Setup, error)
	List(ctx context.Context, env tenant.EnvironmentID) ([]monitor.Setup, error)
}

// EvaluationsAPI serves evaluations of every status across spans, one by one.
type EvaluationsAPI struct {
	Records Records
	Setups  Setups
	Cursors *query.Cursors
}

// Routes returns what is served.
func (a *EvaluationsAPI) Routes() []rest.Route {
	return []rest.Route{SearchEvaluations.Serve(rest.InEnvironment(a.search)).Reading()}
}

// search answers one page of evaluations, those of the spans that started last first.
func (a *EvaluationsAPI) search(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var want EvaluationSearch
	if err := rest.Decode(r, &want); err != nil {
		return rest.Response{}, err
	}
	q, err := want.query()
	if err != nil {
		return rest.Response{}, err
	}
	p := &page{want: &q.Filters[len(q.Filters)-1], order: q.Order, limit: q.Limit}
	if want.Cursor != "" {
		at, err := a.Cursors.Open(string(env.ID), &q, want.Cursor)
		if err != nil {
			return rest.Response{}, err
		}
		if err := a.goOn(r.Context(), env, p, at); err != nil {
			return rest.Response{}, err
		}
		q.After = &query.Position{Start: at.Start, TraceID: at.TraceID, SpanID: at.SpanID, Bucket: at.Bucket}
	}
	if err := a.fill(r.Context(), env, p, q); err != nil {
		return rest.Response{}, err
	}
	setups, err := a.Setups.List(r.Context(), env.ID)
	if err != nil {
		return rest.Response{}, err
	}
	shown := showRows(p.found, setups)
	if p.next != nil {
		shown.Next = a.Cursors.Seal(string(env.ID), &q, *p.next)
	}
	return rest.OK(shown), nil
}

// goOn adds what is left of the span within which the page before ended.
func (a *EvaluationsAPI) goOn(ctx context.Context, env tenant.Environment, p *page, at query.Position) error {
	if at.Evaluator == "" {
		return nil
	}
	list, err := a.Records.Get(ctx, env, []span.Key{{TraceID: at.TraceID, SpanID: at.SpanID, Start: at.Start}}, 0)
	if err != nil {
		return err
	}
	p.behind = &at
	err = a.add(ctx, env, p, list)
	p.behind = nil
	return err
}

// fill adds evaluations of the spans that a query finds until the page is full.
func (a *EvaluationsAPI) fill(ctx context.Context, env tenant.Environment, p *page, q query.Query) error {
	if p.next != nil {
		return nil
	}
	// Each of the spans has one evaluation at least. On a full page, one more
	// evaluation shows whether another page follows.
	q.Limit = max(1, p.limit-len(p.found))
	some, err := a.Records.Search(ctx, env, q)
	if err != nil {
		return err
	}
	if p.isFull() && len(some.Spans) > 0 {
		p.next = q.After
		return nil
	}
	if err := a.add(ctx, env, p, some.Spans); err != nil {
		return err
	}
	if p.next == nil {
		p.next = some.Next
	}
	return nil
}

// add adds the evaluations of spans that are wanted.
func (a *EvaluationsAPI) add(ctx context.Context, env tenant.Environment, p *page, list []span.Span) error {
	made, err := store.EvaluationsOf(ctx, a.Records, env.ID, list)
	if err != nil {
		return err
	}
	for i := range list {
		if !p.add(&list[i], made[i], i == len(list)-1) {
			break
		}
	}
	return nil
}

// page is what is found of one page.
type page struct {
	want   *query.Filter // that an evaluation has to satisfy
	order  query.Order
	limit  int
	behind *query.Position // of a span, what is shown of it already; nil for nothing

	found []found
	next  *query.Position // where the next page goes on, nil if that is not known
}

// found is an evaluation with its span.
type found struct {
	span *span.Span
	eval.Evaluation
}

func (p *page) isFull() bool { return len(p.found) >= p.limit }

// add adds the evaluations of a span that are wanted, and reports whether there was
// room for all of them and is for more. The last span of a list leaves it open whether
// anything follows.
func (p *page) add(s *span.Span, made []eval.Evaluation, last bool) bool {
	at := p.order.Position(s)
	for _, e := range sorted(made) {
		switch {
		case !p.want.MatchEvaluation(&e) || p.behind != nil && compare(&e, p.behind) <= 0:
			continue
		case p.isFull():
			p.next = &at
			return false
		}
		at.Setup, at.Evaluator = e.SetupID, e.Evaluator
		p.found = append(p.found, found{s, e})
	}
	if p.isFull() && !last {
		at.Setup, at.Evaluator = "", ""
		p.next = &at
		return false
	}
	return true
}
