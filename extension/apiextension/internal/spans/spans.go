// SPDX-License-Identifier: Apache-2.0

// Package spans serves stored spans: searches of them, and what became of each.
package spans

import (
	"context"
	"net/http"

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
	// Stored returns, from memory, a number that changes when spans of the
	// environment are stored, and whether there is one.
	Stored(env tenant.EnvironmentID) (int64, bool)
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
	// Stopping is closed when nobody is to wait any longer.
	Stopping <-chan struct{}

	tails tails
	// recent and looking are what tails share: what was answered lately, and looks
	// that are under way.
	recent  recent
	looking singleflight.Group
}

// Routes returns what is served.
func (a *API) Routes() []rest.Route {
	const one = "/v2/warehouse/spans/{trace_id}/{span_id}"
	return []rest.Route{
		rest.Environment(http.MethodGet, "/v2/warehouse/spans", a.search),
		rest.Environment(http.MethodPost, "/v2/warehouse/spans/search", a.rows).Reading(),
		rest.Environment(http.MethodGet, "/v2/warehouse/spans/tail", a.tail).Waiting().Uncounted(),
		rest.Environment(http.MethodGet, "/v2/warehouse/fields", a.fields),
		rest.Environment(http.MethodGet, "/v2/warehouse/filters", a.typed),
		rest.Environment(http.MethodGet, one, a.span),
		rest.Environment(http.MethodGet, one+"/text", a.text),
		rest.Environment(http.MethodGet, one+"/evaluations", a.evaluations),
	}
}
