// SPDX-License-Identifier: Apache-2.0

package compat

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

// ProjectSearch is what the MCP server asks of spans. Environments are not looked at:
// the key says which is meant.
type ProjectSearch struct {
	Filters      []ProjectCondition `json:"filters" schema:"maxItems=100"`
	Logic        string             `json:"logical_operator" doc:"How filters are combined." schema:"default=and" pattern:"^([Aa][Nn][Dd]|[Oo][Rr])$" must:"and or or"`
	Environments []string           `json:"environments" doc:"Not looked at: the key says which environment is meant."`
	SortBy       string             `json:"sort_by" schema:"default=timestamp"`
	Order        string             `json:"sort_order" schema:"default=DESC" pattern:"^([Aa][Ss][Cc]|[Dd][Ee][Ss][Cc])$" must:"ASC or DESC"`
	Cursor       rest.Text          `json:"cursor" doc:"next_cursor of the page before; 0 or nothing is the beginning." schema:"types=integer,string"`
	Limit        *rest.Int          `json:"limit" doc:"How many spans a page has; 1 to 1000, and the nearest of these for any other." schema:"default=50"`
	rest.Period
}

// AmendSchema lets the period be left out.
func (ProjectSearch) AmendSchema(schema map[string]any) {
	delete(schema, "required")
	properties := schema["properties"].(map[string]any)
	properties["from_timestamp_sec"] = properties["to_timestamp_sec"]
}

// EventedSpanPage is a page, under whose name the clients read it.
type EventedSpanPage struct {
	_ struct{} `schema:"open"`

	Data  spanTexts `json:"data"`
	Size  int       `json:"page_size"`
	Total int64     `json:"total_results"`
	Next  string    `json:"next_cursor"`
}

// spanTexts are spans as appendSpan writes them.
type spanTexts []json.RawMessage

// JSONSchema returns the schema of the list.
func (spanTexts) JSONSchema(of func(any) map[string]any) map[string]any {
	return map[string]any{"type": "array", "items": of(EventedSpan{})}
}

// roots answers the first span of each trace.
func (a *ProjectsAPI) roots(r *http.Request, env tenant.Environment) (rest.Response, error) {
	root := query.Filter{Field: query.Column("parent_span_id"), Operator: query.OpNotExists}
	page, err := a.page(r, env, root)
	return rest.OK(RootSpanPage{RootSpans: page}), err
}

// search answers any spans.
func (a *ProjectsAPI) search(r *http.Request, env tenant.Environment) (rest.Response, error) {
	page, err := a.page(r, env)
	return rest.OK(EventedSpans{Spans: page}), err
}

func (a *ProjectsAPI) page(r *http.Request, env tenant.Environment, also ...query.Filter) (*EventedSpanPage, error) {
	if err := ofProject(r, env); err != nil {
		return nil, err
	}
	var want ProjectSearch
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
	shown := &EventedSpanPage{Data: spanTexts{}, Size: len(page.Spans), Total: page.Total}
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
func (want *ProjectSearch) query() (q query.Query, err error) {
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
