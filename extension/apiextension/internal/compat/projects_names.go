// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// maxNames is how many names an answer has at most.
const maxNames = 10_000

// workflows answers the names of the workflows of a period, which is in milliseconds.
func (a *ProjectsAPI) workflows(r *http.Request, env tenant.Environment) (rest.Response, error) {
	values, err := rest.Query(r)
	if err == nil {
		err = ofProject(r, env)
	}
	if err != nil {
		return rest.Response{}, err
	}
	from, err := millis(values, "start_time", math.MinInt64)
	if err != nil {
		return rest.Response{}, err
	}
	to, err := millis(values, "end_time", math.MaxInt64)
	if err != nil {
		return rest.Response{}, err
	}
	names, err := a.names(r.Context(), env, query.Field{Kind: query.FieldAlias, Name: span.AliasWorkflow}, from, to)
	return rest.OK(names), err
}

// ValuesRequest asks for the values of a field or an attribute.
type ValuesRequest struct {
	Name string `json:"attribute_name" schema:"required minLength=1 maxLength=4096"`
	rest.Period
}

// AmendSchema lets the period be left out, and wants numbers in it.
func (ValuesRequest) AmendSchema(schema map[string]any) {
	schema["required"] = []string{"attribute_name"}
	properties := schema["properties"].(map[string]any)
	for _, name := range []string{"from_timestamp_sec", "to_timestamp_sec"} {
		properties[name] = map[string]any{"type": "integer", "format": "int64", "description": "Unix seconds."}
	}
}

// values answers the values that spans of a period have of a field or an attribute: the
// MCP server asks for the names of services so.
func (a *ProjectsAPI) values(r *http.Request, env tenant.Environment) (rest.Response, error) {
	var want ValuesRequest
	err := ofProject(r, env)
	if err == nil {
		err = rest.Decode(r, &want)
	}
	if err != nil {
		return rest.Response{}, err
	}
	if want.Name == "" || len(want.Name) > query.MaxFilterText {
		return rest.Response{}, fault.New(fault.Invalid, "attribute_name must have 1 to %d bytes", query.MaxFilterText)
	}
	from, to, err := want.Within(math.MinInt64, math.MaxInt64)
	if err != nil {
		return rest.Response{}, err
	}
	by, err := query.ParseField(want.Name)
	if err != nil {
		return rest.Response{}, fault.New(fault.Invalid, "attribute_name %s", fault.Message(err))
	}
	probe := query.Aggregate{Subject: query.Spans, By: []query.Field{by}, Figures: []query.Figure{{Measure: query.Count}}}
	if probe.Validate() != nil {
		return rest.Response{}, fault.New(fault.Invalid, "attribute_name must be a field that is a text, or an attribute")
	}
	names, err := a.names(r.Context(), env, by, from, to)
	return rest.OK(ValueList{Values: names}), err
}

// names returns what spans of a period have of a field, sorted.
func (a *ProjectsAPI) names(ctx context.Context, env tenant.Environment, of query.Field, from, to int64) ([]string, error) {
	groups, err := a.Records.Aggregate(ctx, env, query.Aggregate{
		Subject: query.Spans, From: from, To: to, By: []query.Field{of}, Figures: []query.Figure{{Measure: query.Count}}, Limit: maxNames,
	})
	names := []string{}
	for _, g := range groups {
		if g.Keys[0] != "" {
			names = append(names, g.Keys[0])
		}
	}
	slices.Sort(names)
	return names, err
}

// millis reads a time in Unix milliseconds as nanoseconds, otherwise where it is left
// out.
func millis(values url.Values, name string, otherwise int64) (int64, error) {
	text := values.Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > math.MaxInt64/1_000_000 || n < math.MinInt64/1_000_000 {
		return 0, fault.New(fault.Invalid, "%s must be a whole number of milliseconds since 1970", name)
	}
	return n * 1_000_000, nil
}
