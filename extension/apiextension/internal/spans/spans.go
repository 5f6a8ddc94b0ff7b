// SPDX-License-Identifier: Apache-2.0

// Package spans serves stored spans: searches of them, what became of each, and whole traces.
package spans

import (
	"context"

	"golang.org/x/sync/singleflight"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Records is the part of store.Engine that is needed here.
type Records interface {
	store.Searcher
	store.SpanReader
	store.EvaluationReader
	store.Aggregator
	// Stored returns, from memory, a number that changes when spans of the
	// environment are stored, and whether there is one.
	Stored(env tenant.EnvironmentID) (int64, bool)
	// Together is that of queries.Queries.
	Together(ctx context.Context, env tenant.EnvironmentID, do func(context.Context) error) error
}

// Setups is the part of store.Control that is needed here, under the contract of its
// collection.
type Setups interface {
	List(ctx context.Context, env tenant.EnvironmentID) ([]monitor.Setup, error)
}

// API serves stored spans.
type API struct {
	Records Records
	Setups  Setups
	Cursors *query.Cursors
	// Stopping is closed when no caller is to wait any longer.
	Stopping <-chan struct{}

	tails tails
	// recent and looking are what tails share: what was answered lately, and looks
	// that are under way.
	recent  recent
	looking singleflight.Group
}

// Routes returns what is served.
func (a *API) Routes() []rest.Route {
	return []rest.Route{
		GetSpans.Serve(rest.InEnvironment(a.search)),
		SearchSpans.Serve(rest.InEnvironment(a.rows)).Reading(),
		ExportSpans.Serve(rest.InEnvironment(a.export)).Reading().Waiting(),
		GroupSpans.Serve(rest.InEnvironment(a.grouped)).Reading(),
		TailSpans.Serve(rest.InEnvironment(a.tail)).Waiting().Uncounted(),
		ListFields.Serve(rest.InEnvironment(a.fields)),
		ParseLine.Serve(rest.InEnvironment(a.typed)),
		GetSpan.Serve(rest.InEnvironment(a.span)),
		GetSpanText.Serve(rest.InEnvironment(a.text)),
		GetSpanEvaluations.Serve(rest.InEnvironment(a.evaluations)),
	}
}
