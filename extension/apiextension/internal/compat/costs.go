// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// CostsAPI returns what calls of models cost, by whom or what they were for.
// https://www.traceloop.com/docs/api-reference/costs/property_costs
type CostsAPI struct {
	Records Records
}

// Routes returns what is served.
func (a *CostsAPI) Routes() []rest.Route {
	return []rest.Route{CostsByProperty.Serve(rest.InEnvironment(a.byProperty))}
}

const (
	// maxValues is how many values are answered, those that cost most.
	maxValues = 10_000

	noValue      = "No_Value"       // what spans without the property cost
	unknownValue = "Unknown_Value"  // what those cost that have it with an empty value
	otherValues  = "Other_Values"   // what those cost whose values are not answered
	noSpans      = "No_Association" // the name of a property that no span has
)

// Costs are costs by the values of a property.
type Costs struct {
	_ struct{} `schema:"open"`

	Property string        `json:"property_name"`
	Values   []CostOfValue `json:"values"`
	Total    float64       `json:"total_cost"`
}

// CostOfValue is the cost of one value.
type CostOfValue struct {
	_ struct{} `schema:"open"`

	Value string  `json:"value"`
	Cost  float64 `json:"cost"`
}

func (a *CostsAPI) byProperty(r *http.Request, env tenant.Environment) (rest.Response, error) {
	values, err := rest.Query(r)
	if err != nil {
		return rest.Response{}, err
	}
	asked, err := ask(values, env)
	if err != nil {
		return rest.Response{}, err
	}
	groups, err := a.Records.Aggregate(r.Context(), env, asked.Aggregate)
	if err != nil {
		return rest.Response{}, err
	}
	shown := Costs{Property: noSpans, Values: asked.values(groups)}
	for _, v := range shown.Values {
		if v.Value != noValue {
			shown.Property = values.Get("property_name")
		}
		shown.Total += v.Cost
	}
	return rest.OK(shown), nil
}

// values returns what values of the property cost, those that cost most first.
func (q *question) values(groups []query.Group) []CostOfValue {
	byValue := map[string]float64{}
	for _, g := range groups {
		if named := cmp.Or(g.Keys...); named != "" {
			byValue[named] += q.all.of(g)
			continue
		}
		unknown := q.unknown.of(g)
		if q.unknown.count(g) > 0 {
			byValue[unknownValue] += unknown
		}
		if q.all.count(g) > q.unknown.count(g) {
			byValue[noValue] += q.all.of(g) - unknown
		}
	}
	list := make([]CostOfValue, 0, len(byValue))
	for name, cost := range byValue {
		list = append(list, CostOfValue{Value: name, Cost: cost / span.PerDollar})
	}
	slices.SortFunc(list, func(x, y CostOfValue) int { return cmp.Or(cmp.Compare(y.Cost, x.Cost), cmp.Compare(x.Value, y.Value)) })
	return first(list)
}

// first returns the values that cost most, and the others as one.
func first(list []CostOfValue) []CostOfValue {
	if len(list) <= maxValues {
		return list
	}
	others := CostOfValue{Value: otherValues}
	for _, v := range list[maxValues:] {
		others.Cost += v.Cost
	}
	return append(list[:maxValues], others)
}
