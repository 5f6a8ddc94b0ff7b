// SPDX-License-Identifier: Apache-2.0

package projects

import (
	"encoding/json"
	"math"
	"net/http"
	"strings"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// searchRequest is what the MCP server asks of spans. Environments are not looked at:
// the key says which is meant.
type searchRequest struct {
	Filters []condition `json:"filters"`
	Logic   string      `json:"logical_operator"`
	SortBy  string      `json:"sort_by"`
	Order   string      `json:"sort_order"`
	Cursor  rest.Text   `json:"cursor"`
	Limit   *rest.Int   `json:"limit"`
	rest.Period
}

// found is a page, under whose name the clients read it.
type found struct {
	Data  []json.RawMessage `json:"data"`
	Size  int               `json:"page_size"`
	Total int64             `json:"total_results"`
	Next  string            `json:"next_cursor"`
}

// roots answers the first span of each trace.
func (a *API) roots(r *http.Request, env tenant.Environment) (rest.Response, error) {
	root := query.Filter{Field: query.Field{Kind: query.FieldColumn, Name: "parent_span_id"}, Operator: query.OpNotExists}
	page, err := a.page(r, env, root)
	return rest.OK(map[string]any{"root_spans": page}), err
}

// search answers any spans.
func (a *API) search(r *http.Request, env tenant.Environment) (rest.Response, error) {
	page, err := a.page(r, env)
	return rest.OK(map[string]any{"spans": page}), err
}

func (a *API) page(r *http.Request, env tenant.Environment, also ...query.Filter) (*found, error) {
	if err := ofProject(r, env); err != nil {
		return nil, err
	}
	var want searchRequest
	if err := rest.Decode(r, &want); err != nil {
		return nil, err
	}
	q, err := want.query()
	if err != nil {
		return nil, err
	}
	q.Filters = append(q.Filters, also...)
	if want.Cursor != "" && want.Cursor != "0" {
		after, err := a.Cursors.Open(string(env.ID), &q, string(want.Cursor))
		if err != nil {
			return nil, err
		}
		q.After = &after
	}
	page, err := a.Records.Search(r.Context(), env, q)
	if err != nil {
		return nil, err
	}
	shown := &found{Data: []json.RawMessage{}, Size: len(page.Spans), Total: page.Total}
	for i := range page.Spans {
		text, err := appendSpan(nil, &page.Spans[i])
		if err != nil {
			return nil, err
		}
		shown.Data = append(shown.Data, text)
	}
	if page.Next != nil {
		shown.Next = a.Cursors.Seal(string(env.ID), &q, *page.Next)
	}
	return shown, nil
}

// query returns what is asked for.
func (want *searchRequest) query() (q query.Query, err error) {
	q = query.Query{Limit: query.DefaultLimit, Total: true, Order: query.Order{By: query.SortTimestamp, Descending: !strings.EqualFold(want.Order, "ASC")}}
	if want.Limit != nil {
		q.Limit = int(min(max(*want.Limit, 1), query.MaxLimit))
	}
	if q.From, q.To, err = want.Within(math.MinInt64, math.MaxInt64); err != nil {
		return q, err
	}
	if want.SortBy != "" {
		f, known := span.FieldOfSort(want.SortBy)
		if !known {
			return q, fault.New(fault.Invalid, "sort_by %q is not known", want.SortBy)
		}
		q.Order.By = query.SortKey(f.Sort[0])
	}
	filters, err := filtersOf(want.Filters)
	if err != nil {
		return q, err
	}
	if strings.EqualFold(want.Logic, "or") && len(filters) > 0 {
		filters = []query.Filter{query.Any(filters...)}
	}
	q.Filters = filters
	return q, nil
}
