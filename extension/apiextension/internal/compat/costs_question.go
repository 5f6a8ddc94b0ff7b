// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// maxGroups is how many values a property may have in a period.
const maxGroups = 50_000

// question is what is asked of the store: of each value the costs of all spans, and
// of those that have an empty one.
type question struct {
	query.Aggregate
	all, unknown sums
}

// sums are where the figures of some spans stand: how many there are, the sum of
// their costs, and what is to be taken off this, if anything is.
type sums struct{ at, end int }

func (s sums) count(g query.Group) int64 { return g.Values[s.at].Whole }

// of returns a cost in billionths of a dollar.
func (s sums) of(g query.Group) float64 {
	cost := g.Values[s.at+1].Real
	for _, less := range g.Values[s.at+2 : s.end] {
		cost -= less.Real
	}
	return cost
}

// ask returns the question that parameters ask.
func ask(values url.Values, env tenant.Environment) (*question, error) {
	by, has, err := fields(values.Get("property_name"))
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
	known := query.Filter{Field: sum("cost").Of, Operator: query.OpExists}
	q := &question{Aggregate: query.Aggregate{
		Subject: query.Spans, From: from, To: to, Filters: []query.Filter{known, query.OwnUsage()}, By: by, Limit: maxGroups,
	}}
	q.all = q.add(figures)
	for i := range figures {
		where := has
		if figures[i].Where != nil {
			where = query.All(has, *figures[i].Where)
		}
		figures[i].Where = &where
	}
	q.unknown = q.add(figures)
	return q, nil
}

func (q *question) add(figures []query.Figure) sums {
	s := sums{at: len(q.Figures)}
	q.Figures = append(q.Figures, figures...)
	s.end = len(q.Figures)
	return s
}

// fields returns what a property is grouped by, of which the first that is not empty is
// its value, and the condition that a span has it at all: deletion finds it under the
// same names.
func fields(property string) (by []query.Field, has query.Filter, err error) {
	if property == "" {
		return nil, has, fault.New(fault.Invalid, "property_name is required")
	}
	if len(property) > query.MaxFilterText/2 {
		return nil, has, fault.New(fault.Invalid, "property_name must be at most %d bytes long", query.MaxFilterText/2)
	}
	has = query.Any()
	for _, key := range semconv.AssociationKeys(property) {
		field, err := query.ParseAttribute(key)
		if err != nil {
			return nil, has, err
		}
		has.Filters = append(has.Filters, query.Filter{Field: field, Operator: query.OpExists})
		if alias, found := aliases[semconv.Promotes(key)]; found {
			field = query.Field{Kind: query.FieldAlias, Name: alias}
		}
		if !slices.Contains(by, field) {
			by = append(by, field)
		}
	}
	return by, has, nil
}

// aliases are the fields of spans that have what all SDKs call so.
var aliases = map[span.Promoted]string{
	span.PromotedUser: span.AliasUser, span.PromotedSession: span.AliasSession, span.PromotedConversation: span.AliasConversation,
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
	return query.Figure{Measure: query.Sum, Of: query.Column(name)}
}

// figures returns what is counted and summed up for types of tokens: where a second
// sum is there, it is to be taken off. Of output it is what the whole cost without the
// input, of spans of which both are known.
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
	spans := query.Figure{Measure: query.Count}
	switch {
	case input == output:
		return []query.Figure{spans, sum("cost")}, nil
	case input:
		return []query.Figure{spans, sum("input_cost")}, nil
	}
	whole := sum("cost")
	whole.Where = &query.Filter{Field: query.Column("input_cost"), Operator: query.OpExists}
	return []query.Figure{spans, whole, sum("input_cost")}, nil
}
