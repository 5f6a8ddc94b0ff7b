// SPDX-License-Identifier: Apache-2.0

package query

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// Groups puts together what an aggregate asks for: from single spans and their
// evaluations, which is the meaning of an aggregate in memory, or from the
// groups of parts of a store that have no span in common.
type Groups struct {
	aggregate *Aggregate
	groups    map[string]*Group
	samples   map[string][][]Value // of groups and their quantiles, what these are taken of
}

// NewGroups returns the groups of nothing yet; the aggregate is valid.
func NewGroups(a *Aggregate) *Groups {
	return &Groups{aggregate: a, groups: map[string]*Group{}, samples: map[string][][]Value{}}
}

// Add takes in a span and its evaluations, as far as the aggregate asks for them.
// Where it asks for verdicts the attributes of the span have them.
func (g *Groups) Add(s *span.Span, evaluations []eval.Evaluation) {
	a := g.aggregate
	if s.Start < a.From || s.Start > a.To {
		return
	}
	if a.Subject == Spans {
		g.addRecord(record{span: s, made: evaluations}, nil)
		return
	}
	counted := map[string][]bool{}
	for i := range evaluations {
		e := &evaluations[i]
		if a.Subject == Evaluations {
			g.addRecord(record{span: s, made: evaluations, evaluation: e}, counted)
			continue
		}
		for j := range e.Outputs {
			if e.Status == eval.Done {
				o := Output{SetupID: e.SetupID, Evaluator: e.Evaluator, Output: e.Outputs[j], Backend: e.Backend, Source: e.Source}
				g.addRecord(record{span: s, made: evaluations, output: &o}, nil)
			}
		}
	}
}

// addRecord takes in one span, output or evaluation. counted has the groups that
// have something of the span already, and which of their figures count it.
func (g *Groups) addRecord(r record, counted map[string][]bool) {
	a := g.aggregate
	for i := range a.Filters {
		if !r.passes(&a.Filters[i]) {
			return
		}
	}
	one := Group{Keys: make([]string, len(a.By)), Values: make([]Value, len(a.Figures))}
	for i, f := range a.By {
		one.Keys[i] = r.text(f)
	}
	if a.Only != nil && !slices.ContainsFunc(a.Only, func(keys []string) bool { return slices.Equal(keys, one.Keys) }) {
		one.Keys, one.Rest = make([]string, len(a.By)), true
	}
	if a.Others && !one.Rest {
		return
	}
	if a.Step > 0 {
		one.Time = StepOf(r.span.Start, int64(a.Step))
	}
	id := one.id()
	samples := g.samples[id]
	if samples == nil {
		samples = make([][]Value, len(a.Figures))
		g.samples[id] = samples
	}
	if counted != nil && counted[id] == nil {
		counted[id] = make([]bool, len(a.Figures))
	}
	for i := range a.Figures {
		f := &a.Figures[i]
		v, found := r.figure(f, counted != nil && counted[id][i])
		if f.Measure == Quantile && found {
			samples[i] = append(samples[i], v)
		}
		if found && counted != nil {
			counted[id][i] = true
		}
		one.Values[i] = v
	}
	g.Merge(one)
}

// StepOf returns when the step that a time lies in begins, or the first time that
// there is if it begins before that.
func StepOf(t, step int64) int64 {
	rest := sinceStep(t, step)
	if t < math.MinInt64+rest {
		return math.MinInt64
	}
	return t - rest
}

// StepsIn returns when the steps begin that a period has a part of, whose ends are in
// it and may be the first and the last time that there are.
func StepsIn(from, to, step int64) (list []int64) {
	for at := StepOf(from, step); ; {
		list = append(list, at)
		left := step - sinceStep(at, step)
		if uint64(to)-uint64(at) < uint64(left) {
			return list
		}
		at += left
	}
}

// sinceStep returns for how long the step that a time lies in has lasted.
func sinceStep(t, step int64) int64 {
	rest := t % step
	if rest < 0 {
		rest += step
	}
	return rest
}

// Merge takes in a group of a part of the store, of an aggregate that asks for no
// quantile.
func (g *Groups) Merge(one Group) {
	if g.aggregate.Others && !one.Rest {
		return
	}
	id := one.id()
	sum := g.groups[id]
	if sum == nil {
		one.Values = slices.Clone(one.Values)
		g.groups[id] = &one
		return
	}
	for i, v := range one.Values {
		sum.Values[i] = g.aggregate.Figures[i].join(sum.Values[i], v)
	}
}

// join returns a figure of two groups together.
func (f *Figure) join(a, b Value) Value {
	switch f.Measure {
	case Min, Max:
		less := a.Whole < b.Whole || f.IsReal() && a.Real < b.Real
		if !b.None && (a.None || less == (f.Measure == Max)) {
			return b
		}
		return a
	case Count, CountSpans, Sum, Quantile:
	}
	return Value{Whole: a.Whole + b.Whole, Real: a.Real + b.Real}
}

// Len returns how many groups there are.
func (g *Groups) Len() int { return len(g.groups) }

// List returns the groups, by time and then by their keys, the rest last.
func (g *Groups) List() []Group {
	list := make([]Group, 0, len(g.groups))
	for id, x := range g.groups {
		for i, samples := range g.samples[id] {
			if f := &g.aggregate.Figures[i]; f.Measure == Quantile {
				x.Values[i] = f.quantile(samples)
			}
		}
		list = append(list, *x)
	}
	slices.SortFunc(list, func(a, b Group) int {
		if a.Time == b.Time && a.Rest != b.Rest {
			if a.Rest {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(a.Time, b.Time), slices.Compare(a.Keys, b.Keys))
	})
	return list
}

// quantile returns the quantile of values.
func (f *Figure) quantile(values []Value) Value {
	if len(values) == 0 {
		return Value{None: true}
	}
	slices.SortFunc(values, func(a, b Value) int { return cmp.Or(cmp.Compare(a.Whole, b.Whole), cmp.Compare(a.Real, b.Real)) })
	return values[(len(values)*f.Percent+99)/100-1]
}

// id tells groups apart; a length before each text keeps texts with any byte
// apart.
func (g *Group) id() string {
	var b strings.Builder
	number := func(n int64) {
		for range 8 {
			b.WriteByte(byte(n))
			n >>= 8
		}
	}
	number(g.Time)
	if g.Rest {
		return b.String()
	}
	for _, k := range g.Keys {
		number(int64(len(k)))
		b.WriteString(k)
	}
	return b.String()
}
