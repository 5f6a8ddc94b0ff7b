// SPDX-License-Identifier: Apache-2.0

package aggregates

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// answer are the figures.
type answer struct {
	Step int64 `json:"step_sec"`
	// Times are when the steps begin, in Unix seconds.
	Times []int64 `json:"times"`
	part
	Groups []groupAnswer `json:"groups"`
	// Other is what is in none of the groups, if they are not all.
	Other *part `json:"other,omitempty"`
	// Count is how many groups there are in all.
	Count int `json:"group_count"`
	// Bins are the spread of numbers, if it is asked for.
	Bins []binAnswer `json:"bins,omitempty"`
}

// part are the measures of what matches, all of it or a group.
type part struct {
	Total map[string]any `json:"total"`
	// Series has a number for each step.
	Series map[string][]any `json:"series,omitempty"`
}

type groupAnswer struct {
	Keys []string `json:"keys"`
	part
}

// answer asks the store: for the largest groups and the steps, in one pass over what is
// stored where that can be, and for all together where these do not tell.
func (q *question) answer(ctx context.Context, from store.Aggregator, env tenant.Environment) (*answer, error) {
	shown := &answer{Step: int64(q.step / time.Second), Times: []int64{}, Groups: []groupAnswer{}}
	times := q.times()
	for _, at := range times {
		shown.Times = append(shown.Times, at/int64(time.Second))
	}
	ask := func(a query.Aggregate) ([]query.Group, error) { return from.Aggregate(ctx, env, a) }
	parts, told, err := q.together(ask, times, shown)
	if err == nil && !told && len(q.By) > 0 {
		parts, err = q.largest(ask, shown)
	}
	if err != nil {
		return nil, err
	}
	if q.step > 0 && !told {
		list, err := q.steps(ask, times, shown)
		if err != nil {
			return nil, err
		}
		if len(q.By) == 0 {
			parts = list
		}
	}
	if shown.Total, err = q.all(ask, parts); err != nil {
		return nil, err
	}
	if q.bins > 0 {
		shown.Bins, err = q.spread(ask)
	}
	return shown, err
}

// asks puts an aggregate to the store.
type asks func(query.Aggregate) ([]query.Group, error)

// all returns the measures of everything: put together of parts that have nothing in
// common, if they tell it.
func (q *question) all(ask asks, parts []query.Group) (map[string]any, error) {
	whole := q.Aggregate
	whole.By, whole.Only = nil, nil
	asunder := len(q.By) > 0 // spans may be in several groups, though never in several steps
	tells := !q.has(query.Quantile) && (!asunder || !q.has(query.CountSpans))
	if !tells || q.step == 0 && !asunder {
		list, err := ask(whole)
		return q.totals(list), err
	}
	return q.totals(q.sum(parts, ofAll)), nil
}

// has reports whether there is a figure of a measure.
func (q *question) has(m query.Measure) bool {
	return slices.ContainsFunc(q.Figures, func(f query.Figure) bool { return f.Measure == m })
}

// sum puts together what are parts of the same.
func (q *question) sum(list []query.Group, same func(query.Group) query.Group) []query.Group {
	sum := query.NewGroups(&q.Aggregate)
	for _, g := range list {
		sum.Merge(same(g))
	}
	return sum.List()
}

// What groups with steps are parts of: everything, a group, and a step of those groups that
// are not asked for.
func ofAll(g query.Group) query.Group   { return query.Group{Values: g.Values} }
func ofGroup(g query.Group) query.Group { return query.Group{Keys: g.Keys, Values: g.Values} }
func ofStep(g query.Group) query.Group {
	return query.Group{Time: g.Time, Rest: true, Values: g.Values}
}

// together fills in the groups and their series from one answer of the store, which has
// the steps of all groups, and returns the groups. It reports false, and nothing is filled
// in, where that does not tell: quantiles are of all rows of a group, a span in several groups
// counts once, and steps of very many groups are too much to hand over.
func (q *question) together(ask asks, times []int64, shown *answer) (groups []query.Group, told bool, err error) {
	if q.step == 0 || len(q.By) == 0 || q.has(query.Quantile) {
		return nil, false, nil
	}
	stepped := q.Aggregate
	stepped.Step, stepped.Limit = q.step, maxSeries
	list, err := ask(stepped)
	if err != nil {
		if fault.Is(err, fault.Invalid) { // too many
			err = nil
		}
		return nil, false, err
	}
	groups = q.sum(list, ofGroup)
	if len(groups) > q.top && q.has(query.CountSpans) {
		return nil, false, nil
	}
	q.rank(groups, shown)
	largest := map[string]bool{}
	for _, keys := range q.Only {
		largest[joined(keys)] = true
	}
	var rest []query.Group
	list = slices.DeleteFunc(list, func(g query.Group) bool {
		if largest[joined(g.Keys)] {
			return false
		}
		rest = append(rest, g)
		return true
	})
	if len(rest) > 0 {
		shown.Other = &part{Total: q.totals(q.sum(rest, ofAll))}
	}
	q.fill(times, append(list, q.sum(rest, ofStep)...), shown)
	return groups, true, nil
}

// steps fills in the series, of the groups that are asked for, and returns what the
// store answered.
func (q *question) steps(ask asks, times []int64, shown *answer) ([]query.Group, error) {
	stepped := q.Aggregate
	stepped.Step, stepped.Limit = q.step, 0
	list, err := ask(stepped)
	if err != nil {
		return nil, err
	}
	if len(q.By) == 0 {
		shown.Series = q.series(times, list)
		return list, nil
	}
	q.fill(times, list, shown)
	return list, nil
}

// fill fills in the series of the groups that are shown, and of the rest.
func (q *question) fill(times []int64, list []query.Group, shown *answer) {
	byKeys := map[string][]query.Group{}
	var rest []query.Group
	for _, g := range list {
		if g.Rest {
			rest = append(rest, g)
		} else {
			byKeys[joined(g.Keys)] = append(byKeys[joined(g.Keys)], g)
		}
	}
	for i := range shown.Groups {
		shown.Groups[i].Series = q.series(times, byKeys[joined(shown.Groups[i].Keys)])
	}
	if shown.Other != nil {
		shown.Other.Series = q.series(times, rest)
	}
}

// largest fills in the groups of which there is most, makes them those that are
// asked for, and returns all.
func (q *question) largest(ask asks, shown *answer) ([]query.Group, error) {
	groups, err := ask(q.Aggregate)
	if err != nil {
		return nil, err
	}
	q.rank(groups, shown)
	if len(groups) <= q.top {
		return groups, nil
	}
	if !q.has(query.Quantile) && !q.has(query.CountSpans) {
		shown.Other = &part{Total: q.totals(q.sum(groups[q.top:], ofAll))}
		return groups, nil
	}
	parts, err := ask(q.Aggregate)
	shown.Other = &part{Total: q.totals(nil)}
	for _, g := range parts {
		if g.Rest {
			shown.Other.Total = q.values(g.Values)
		}
	}
	return groups, err
}

// rank sorts groups, the largest first, fills in those that are asked for, and says from
// then on which they are.
func (q *question) rank(groups []query.Group, shown *answer) {
	slices.SortStableFunc(groups, func(a, b query.Group) int { return cmp.Compare(b.Values[0].Whole, a.Values[0].Whole) })
	shown.Count = len(groups)
	q.Only = [][]string{}
	for _, g := range groups[:min(len(groups), q.top)] {
		q.Only = append(q.Only, g.Keys)
		shown.Groups = append(shown.Groups, groupAnswer{Keys: g.Keys, part: part{Total: q.values(g.Values)}})
	}
}

// totals returns the measures of a group alone, or of nothing.
func (q *question) totals(list []query.Group) map[string]any {
	if len(list) > 0 {
		return q.values(list[0].Values)
	}
	return q.values(q.nothing())
}

// nothing are the figures of nothing.
func (q *question) nothing() []query.Value {
	values := make([]query.Value, len(q.Figures))
	for i, f := range q.Figures {
		switch f.Measure {
		case query.Min, query.Max, query.Quantile:
			values[i].None = true
		case query.Count, query.CountSpans, query.Sum:
		}
	}
	return values
}

func (q *question) values(values []query.Value) map[string]any {
	shown := make(map[string]any, len(q.measures))
	for i, name := range q.measures {
		shown[name] = q.measured[i].value(values)
	}
	return shown
}

// series returns the measures of each step.
func (q *question) series(times []int64, groups []query.Group) map[string][]any {
	at := make(map[int64][]query.Value, len(groups))
	for _, g := range groups {
		at[g.Time] = g.Values
	}
	shown, nothing := make(map[string][]any, len(q.measures)), q.nothing()
	for i, name := range q.measures {
		list := make([]any, len(times))
		for j, t := range times {
			values := at[t]
			if values == nil {
				values = nothing
			}
			list[j] = q.measured[i].value(values)
		}
		shown[name] = list
	}
	return shown
}

// joined returns one text for keys, which no other keys have.
func joined(keys []string) string {
	var b strings.Builder
	for _, k := range keys {
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(k, "\\", "\\\\"), "\n", "\\n"))
		b.WriteByte('\n')
	}
	return b.String()
}
