// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"maps"
	"net/http"
	"slices"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// TypedFilters is what a line of conditions means.
type TypedFilters struct {
	Filters []query.Condition `json:"filters" doc:"The filters, as other requests take them."`
	Unknown []query.Unknown   `json:"unknown" doc:"Fields of the line that none of the newest 300 spans of the period has."`
}

// typed answers the filters that a line means.
func (a *API) typed(r *http.Request, env tenant.Environment) (rest.Response, error) {
	values, err := rest.Query(r)
	if err != nil {
		return rest.Response{}, err
	}
	var p parser
	all, err := p.line(values.Get(paramLine))
	if err != nil {
		return rest.Response{}, err
	}
	shown := TypedFilters{Filters: append([]query.Condition{}, all...), Unknown: []query.Unknown{}}
	t, lookedAt, err := a.tally(r.Context(), env, values)
	if err != nil {
		return rest.Response{}, err
	}
	if lookedAt > 0 {
		shown.Unknown = query.UnknownOf(all, slices.Sorted(maps.Keys(t)))
	}
	return rest.OK(shown), nil
}
