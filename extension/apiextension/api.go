// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// api serves what searches spans and their verdicts.
type api struct {
	spans      store.Spans
	catalog    *eval.Catalog
	evaluators *eval.Registry
	cursors    *query.Cursors
}

// routes returns what is served.
func (a *api) routes() []rest.Route {
	return []rest.Route{
		rest.Environment(http.MethodGet, "/v2/metrics", a.getMetrics),
		rest.Environment(http.MethodPost, "/v2/metrics", a.findMetrics),
		rest.Environment(http.MethodGet, "/v2/metrics_hwm", a.highWaterMark),
	}
}
