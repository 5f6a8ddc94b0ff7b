// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	maxFields     = 2
	maxSpanGroups = 20   // that the answer distinguishes
	maxValues     = 1000 // that the fields may have together
)

// group parts the spans by what judged them.
func (r *Agreement) group(pairs []pair) {
	type judges struct{ a, b agreementJudge }
	by := map[judges][]pair{}
	for _, p := range pairs {
		j := judges{agreementJudge{p.a.Version, p.a.Judge}, agreementJudge{p.b.Version, p.b.Judge}}
		by[j] = append(by[j], p)
	}
	for j, some := range by {
		r.Groups = append(r.Groups, agreementGroup{A: &j.a, B: &j.b, table: tabulate(some)})
	}
	slices.SortFunc(r.Groups, func(x, y agreementGroup) int {
		return cmp.Or(cmp.Compare(y.Spans, x.Spans), cmp.Compare(x.A.Version, y.A.Version), cmp.Compare(x.A.Model, y.A.Model),
			cmp.Compare(x.B.Version, y.B.Version), cmp.Compare(x.B.Model, y.B.Model))
	})
	r.Groups = r.Groups[:min(len(r.Groups), maxAgreementGroups)]
}

// groupedBy returns the fields of spans that group_by names, none where it is absent.
func groupedBy(values url.Values) ([]query.Field, error) {
	ids := values["group_by"]
	if len(ids) > maxFields {
		return nil, fault.New(fault.Invalid, "group_by must name at most %d fields", maxFields)
	}
	list := make([]query.Field, 0, len(ids))
	for _, id := range ids {
		if id == "" || len(id) > query.MaxFilterText {
			return nil, fault.New(fault.Invalid, "group_by must be 1 to %d bytes long", query.MaxFilterText)
		}
		f, err := query.ParseField(id)
		if err != nil {
			return nil, fault.New(fault.Invalid, "group_by %s", fault.Message(err))
		}
		list = append(list, f)
	}
	probe := query.Aggregate{Subject: query.Outputs, By: list, Figures: []query.Figure{{Measure: query.Count}}}
	if probe.Validate() != nil {
		return nil, fault.New(fault.Invalid, "group_by must be a field that is a text, or an attribute")
	}
	return list, nil
}

// groupBySpan parts the pairs by what their spans have of some fields: of the groups
// that a judged most spans of each is one, and what is in none of these another.
func (a *AgreementAPI) groupBySpan(ctx context.Context, env tenant.Environment, r *Agreement, side *Source, by []query.Field, pairs []pair) error {
	if len(pairs) == 0 {
		return nil
	}
	of := query.Query{
		Subject: query.Outputs, From: pairs[len(pairs)-1].a.Start, To: pairs[0].a.Start, Filters: side.Filters(),
		Order: query.Order{By: query.SortTimestamp, Descending: true}, Limit: query.MaxLimit,
	}
	found, err := a.Records.Aggregate(ctx, env, query.Aggregate{
		Subject: of.Subject, From: of.From, To: of.To, Filters: of.Filters, By: by, Figures: []query.Figure{{Measure: query.Count}}, Limit: maxValues,
	})
	if err != nil {
		return err
	}
	slices.SortFunc(found, func(x, y query.Group) int {
		return cmp.Or(cmp.Compare(y.Values[0].Whole, x.Values[0].Whole), slices.Compare(x.Keys, y.Keys))
	})
	largest := found[:min(len(found), maxSpanGroups)]
	group := make(map[span.Key]int, len(pairs))
	for i := range largest {
		if i == 0 && len(largest) == len(found) {
			continue // what is in no other group is in this one
		}
		of.Filters = append(side.Filters(), having(by, largest[i].Keys)...)
		if _, err := a.each(ctx, env, of, func(o *query.Output) { group[o.Span] = i + 1 }); err != nil {
			return err
		}
	}
	in := make([][]pair, len(largest)+1)
	for _, p := range pairs {
		in[group[p.a.Span]] = append(in[group[p.a.Span]], p)
	}
	if len(largest) == len(found) && len(found) > 0 {
		in[0], in[1] = nil, in[0]
	}
	for i, some := range in {
		if len(some) == 0 {
			continue
		}
		g := agreementGroup{Rest: i == 0, table: tabulate(some)}
		if i > 0 {
			g.Keys = largest[i-1].Keys
		}
		r.Groups = append(r.Groups, g)
	}
	slices.SortStableFunc(r.Groups, func(x, y agreementGroup) int { return cmp.Compare(y.Spans, x.Spans) })
	return nil
}

// having returns the filters that hold for the spans of a group.
func having(by []query.Field, keys []string) []query.Filter {
	list := make([]query.Filter, len(by))
	for i, f := range by {
		list[i] = query.Equals(f, keys[i])
		switch {
		case keys[i] == "":
			absent := query.Filter{Field: f, Operator: query.OpNotExists}
			list[i] = query.Any(absent, list[i])
		case utf8.RuneCountInString(keys[i]) >= query.SortedText: // a group has the beginning
			list[i].Operator = query.OpStartsWith
		}
	}
	return list
}
