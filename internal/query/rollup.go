// SPDX-License-Identifier: Apache-2.0

package query

import (
	"cmp"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// Rollup asks an aggregate for the largest groups, all others together, and what
// they come to over all steps and in all.
type Rollup struct {
	// Top is how many groups are wanted, those of which Figures[0], a count, is
	// largest over all steps; of equal ones those whose keys come first.
	Top int
	// Series is how many groups of single steps there may be for all to be read at
	// once. Beyond it the largest groups are found first, which reads twice.
	Series int
}

// Level is what the figures of a group are of.
type Level int

const (
	// InStep is a group in one step, and the only level without a Rollup.
	InStep Level = iota
	// InPeriod is a group in all steps together.
	InPeriod
	// InAll is all that matches.
	InAll
)

// Ask puts an aggregate without a Rollup to a store.
type Ask func(Aggregate) ([]Group, error)

// Answer answers an aggregate by what ask does, which is asked several times for
// one that has a Rollup, of the same period, filters and figures: for some of the
// fields to group by, or none, and with the steps or without.
//
// The groups of a Rollup are all those over the period, the largest first, and what is
// not among its Top as the Rest; then, if there are steps, the Top and the Rest in
// each, by time; last everything. What has nothing in it is not there.
func (a Aggregate) Answer(ask Ask) ([]Group, error) {
	if a.Rollup == nil {
		return ask(a)
	}
	r := &rollup{Aggregate: a, top: a.Rollup.Top, series: a.Rollup.Series, ask: ask}
	r.Rollup = nil
	return r.answer()
}

// rollup is the answer to one Rollup.
type rollup struct {
	Aggregate
	top, series int
	ask         Ask
	found       []Group
}

func (r *rollup) answer() ([]Group, error) {
	parts, told, err := r.together()
	if err == nil && !told && len(r.By) > 0 {
		parts, err = r.largest()
	}
	if err == nil && !told && r.Step > 0 {
		var list []Group
		list, err = r.steps()
		if len(r.By) == 0 {
			parts = list
		}
	}
	if err != nil {
		return nil, err
	}
	all, err := r.all(parts)
	return append(r.found, at(InAll, all)...), err
}

func at(level Level, list []Group) []Group {
	for i := range list {
		list[i].Level = level
	}
	return list
}

// all returns everything as one group, put together of parts that have nothing in
// common, if these tell it.
func (r *rollup) all(parts []Group) ([]Group, error) {
	asunder := len(r.By) > 0 // spans may be in several groups, though never in several steps
	tells := !r.has(Quantile) && (!asunder || !r.has(CountSpans))
	if tells && (asunder || r.Step > 0) {
		return r.sum(parts, func(g Group) Group { return Group{Keys: []string{}, Values: g.Values} }), nil
	}
	whole := r.Aggregate
	whole.By, whole.Only, whole.Step, whole.Limit = nil, nil, 0, 0
	return r.ask(whole)
}

// sum puts together what is part of the same.
func (r *rollup) sum(list []Group, same func(Group) Group) []Group {
	sum := NewGroups(&r.Aggregate)
	for _, g := range list {
		sum.Merge(same(g))
	}
	return sum.List()
}

// together finds the groups and their steps by one question, for the steps of all
// groups, and returns the groups. It reports false where that does not tell: quantiles
// are of all rows of a group, a span in several groups counts once, and steps of very many
// groups are too much to hand over.
func (r *rollup) together() (groups []Group, told bool, err error) {
	if r.Step == 0 || len(r.By) == 0 || r.has(Quantile) {
		return nil, false, nil
	}
	stepped := r.Aggregate
	stepped.Limit = r.series
	list, err := r.ask(stepped)
	if err != nil {
		if fault.Is(err, fault.Invalid) { // too many
			err = nil
		}
		return nil, false, err
	}
	groups = r.sum(list, func(g Group) Group { return Group{Keys: g.Keys, Values: g.Values} })
	if len(groups) > r.top && r.has(CountSpans) {
		return nil, false, nil
	}
	r.rank(groups)
	largest := map[string]bool{}
	for i := range groups[:min(len(groups), r.top)] {
		largest[groups[i].id()] = true
	}
	for i, g := range list {
		if inPeriod := (Group{Keys: g.Keys}); !largest[inPeriod.id()] {
			list[i].Keys, list[i].Rest = make([]string, len(r.By)), true
		}
	}
	r.rest(groups)
	r.found = append(r.found, at(InStep, r.sum(list, func(g Group) Group { return g }))...)
	return groups, true, nil
}

// largest finds the groups, which it returns, says from then on which are wanted, and finds
// what is in none of these.
func (r *rollup) largest() ([]Group, error) {
	period := r.Aggregate
	period.Step = 0
	groups, err := r.ask(period)
	if err != nil {
		return nil, err
	}
	r.rank(groups)
	r.Only = [][]string{}
	for _, g := range groups[:min(len(groups), r.top)] {
		r.Only = append(r.Only, g.Keys)
	}
	switch {
	case len(groups) <= r.top:
	case !r.has(Quantile) && !r.has(CountSpans):
		r.rest(groups)
	default:
		period.Only, period.Others, period.Limit = r.Only, true, 0
		parts, err := r.ask(period)
		if err != nil {
			return nil, err
		}
		r.found = append(r.found, at(InPeriod, parts)...)
	}
	return groups, nil
}

// rank sorts groups, the largest first; those of equal counts stay in the order of their
// keys.
func (r *rollup) rank(groups []Group) {
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(b.Values[0].Whole, a.Values[0].Whole) })
	r.found = append(r.found, at(InPeriod, groups)...)
}

// rest finds what groups come to that are not among the largest.
func (r *rollup) rest(groups []Group) {
	others := r.sum(groups[min(len(groups), r.top):], func(g Group) Group {
		return Group{Keys: make([]string, len(r.By)), Rest: true, Values: g.Values}
	})
	r.found = append(r.found, at(InPeriod, others)...)
}

// steps finds the wanted groups in each step.
func (r *rollup) steps() ([]Group, error) {
	stepped := r.Aggregate
	stepped.Limit = 0
	list, err := r.ask(stepped)
	r.found = append(r.found, at(InStep, slices.Clone(list))...)
	return list, err
}
