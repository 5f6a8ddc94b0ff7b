// SPDX-License-Identifier: Apache-2.0

// Package costs tells what calls of models cost, by whom or what they were for.
// https://www.traceloop.com/docs/api-reference/costs/property_costs
package costs

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Records is the part of store.Engine that is needed here.
type Records interface{ store.Aggregator }

// API tells costs.
type API struct {
	Records Records
}

// Routes returns what is served.
func (a *API) Routes() []rest.Route {
	return []rest.Route{rest.Environment(http.MethodGet, "/v2/costs/by-association-property", a.byProperty)}
}

const (
	// maxValues is how many values a property may have in a period.
	maxValues = 10_000
	noValue   = "No_Value"       // what spans without the property cost
	noSpans   = "No_Association" // the name of a property that no span has
)

type answer struct {
	Property string  `json:"property_name"`
	Values   []value `json:"values"`
	Total    float64 `json:"total_cost"`
}

type value struct {
	Value string  `json:"value"`
	Cost  float64 `json:"cost"`
}

func (a *API) byProperty(r *http.Request, env tenant.Environment) (rest.Response, error) {
	values, err := rest.Query(r)
	if err != nil {
		return rest.Response{}, err
	}
	property := values.Get("property_name")
	asked, err := question(values, env)
	if err != nil {
		return rest.Response{}, err
	}
	groups, err := a.Records.Aggregate(r.Context(), env, *asked)
	if err != nil {
		return rest.Response{}, err
	}
	shown := answer{Property: noSpans, Values: []value{}}
	for _, g := range groups {
		cost := g.Values[0].Real
		if len(g.Values) > 1 {
			cost -= g.Values[1].Real
		}
		v := value{Value: cmp.Or(g.Keys[0], noValue), Cost: cost / span.PerDollar}
		if g.Keys[0] != "" {
			shown.Property = property
		}
		shown.Values = append(shown.Values, v)
		shown.Total += v.Cost
	}
	slices.SortFunc(shown.Values, func(x, y value) int { return cmp.Or(cmp.Compare(y.Cost, x.Cost), cmp.Compare(x.Value, y.Value)) })
	return rest.OK(shown), nil
}

// question returns what is asked of the store: the sum of costs, and of those of
// input if they are to be taken off.
func question(values url.Values, env tenant.Environment) (*query.Aggregate, error) {
	by, err := field(values.Get("property_name"))
	if err != nil {
		return nil, err
	}
	from, err := moment(values, "start_time")
	if err != nil {
		return nil, err
	}
	to, err := moment(values, "end_time")
	if err != nil {
		return nil, err
	}
	if from > to {
		return nil, fault.New(fault.Invalid, "start_time must not be after end_time")
	}
	if text := values.Get("env"); text != "" && !slices.Contains(strings.Split(text, ","), env.Slug) {
		return nil, fault.New(fault.Invalid, "env must have %q, the environment of the API key, or be left out", env.Slug)
	}
	figures, err := figures(values.Get("selected_token_types"))
	if err != nil {
		return nil, err
	}
	total := sum("cost").Of
	known := query.Filter{Field: total, Operator: query.OpExists}
	return &query.Aggregate{
		Subject: query.Spans, From: from, To: to, Filters: []query.Filter{known, query.OwnUsage()}, By: []query.Field{by}, Figures: figures, Limit: maxValues,
	}, nil
}

// field returns what a property is grouped by: what all SDKs call so where there is
// such a field.
func field(property string) (query.Field, error) {
	if property == "" {
		return query.Field{}, fault.New(fault.Invalid, "property_name is required")
	}
	keys := semconv.AssociationKeys(property)
	for _, key := range keys {
		switch semconv.Promotes(key) {
		case span.PromotedUser:
			return query.Field{Kind: query.FieldAlias, Name: span.AliasUser}, nil
		case span.PromotedSession:
			return query.Field{Kind: query.FieldAlias, Name: span.AliasSession}, nil
		case span.PromotedConversation:
			return query.Field{Kind: query.FieldAlias, Name: span.AliasConversation}, nil
		default:
		}
	}
	if len(property) > query.MaxFilterText/2 {
		return query.Field{}, fault.New(fault.Invalid, "property_name must be at most %d bytes long", query.MaxFilterText/2)
	}
	return query.ParseAttribute(keys[0])
}

// moment reads a time of RFC 3339 as Unix nanoseconds.
func moment(values url.Values, name string) (int64, error) {
	text := values.Get(name)
	if text == "" {
		return 0, fault.New(fault.Invalid, "%s is required", name)
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.Year() < 1700 || t.Year() > 2200 {
		return 0, fault.New(fault.Invalid, "%s must be a time such as 2025-04-15T00:00:00Z", name)
	}
	return t.UnixNano(), nil
}

func sum(name string) query.Figure {
	return query.Figure{Measure: query.Sum, Of: query.Field{Kind: query.FieldColumn, Name: name}}
}

// figures returns what is summed up for types of tokens: where a second is there, it
// is to be taken off. Of output it is what the whole cost without the input, of spans
// of which both are known.
func figures(types string) ([]query.Figure, error) {
	var input, output bool
	for _, name := range strings.Split(types, ",") {
		switch name {
		case "":
		case "input_tokens", "prompt_tokens":
			input = true
		case "output_tokens", "completion_tokens":
			output = true
		default:
			return nil, fault.New(fault.Invalid, "selected_token_types must be input_tokens, output_tokens or both, with a comma between them")
		}
	}
	switch {
	case input == output:
		return []query.Figure{sum("cost")}, nil
	case input:
		return []query.Figure{sum("input_cost")}, nil
	}
	whole := sum("cost")
	whole.Where = &query.Filter{Field: query.Field{Kind: query.FieldColumn, Name: "input_cost"}, Operator: query.OpExists}
	return []query.Figure{whole, sum("input_cost")}, nil
}
