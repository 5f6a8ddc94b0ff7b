// SPDX-License-Identifier: Apache-2.0

package query

import (
	"cmp"
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
}

// NewGroups returns the groups of nothing yet; the aggregate is valid.
func NewGroups(a *Aggregate) *Groups { return &Groups{aggregate: a, groups: map[string]*Group{}} }

// Add takes in a span and its evaluations, as far as the aggregate asks for them.
func (g *Groups) Add(s *span.Span, evaluations []eval.Evaluation) {
	a := g.aggregate
	if s.Start < a.From || s.Start > a.To {
		return
	}
	if a.Subject == Spans {
		g.addRecord(s, record{span: s}, nil)
		return
	}
	counted := map[string]bool{}
	for i := range evaluations {
		g.addRecord(s, record{evaluation: &evaluations[i]}, counted)
	}
}

// addRecord takes in one span or evaluation. counted has the groups that count
// the span already.
func (g *Groups) addRecord(s *span.Span, r record, counted map[string]bool) {
	a := g.aggregate
	for i := range a.Filters {
		if !r.passes(&a.Filters[i]) {
			return
		}
	}
	one := Group{Keys: make([]string, len(a.By)), Values: make([]Value, len(a.Figures))}
	for i, f := range a.By {
		one.Keys[i] = r.text(f.Name)
	}
	if a.Step > 0 {
		one.Time = StepOf(s.Start, int64(a.Step))
	}
	id := one.id()
	for i := range a.Figures {
		f := &a.Figures[i]
		switch {
		case f.Measure == Count, f.Measure == CountSpans && !counted[id]:
			one.Values[i].Whole = 1
		case f.Measure == CountSpans:
		default:
			one.Values[i] = r.number(f.Of.Name)
		}
	}
	if counted != nil {
		counted[id] = true
	}
	g.Merge(one)
}

// StepOf returns when the step that a time lies in begins.
func StepOf(t, step int64) int64 {
	rest := t % step
	if rest < 0 {
		rest += step
	}
	return t - rest
}

// Merge takes in a group of a part of the store.
func (g *Groups) Merge(one Group) {
	id := one.id()
	sum := g.groups[id]
	if sum == nil {
		one.Values = slices.Clone(one.Values)
		g.groups[id] = &one
		return
	}
	for i, v := range one.Values {
		sum.Values[i] = g.aggregate.Figures[i].Measure.join(sum.Values[i], v)
	}
}

// join returns a figure of two groups together.
func (m Measure) join(a, b Value) Value {
	switch m {
	case Min:
		return Value{Whole: min(a.Whole, b.Whole), Real: min(a.Real, b.Real)}
	case Max:
		return Value{Whole: max(a.Whole, b.Whole), Real: max(a.Real, b.Real)}
	case Count, CountSpans, Sum:
	}
	return Value{Whole: a.Whole + b.Whole, Real: a.Real + b.Real}
}

// List returns the groups, by time and then by their keys.
func (g *Groups) List() []Group {
	list := make([]Group, 0, len(g.groups))
	for _, x := range g.groups {
		list = append(list, *x)
	}
	slices.SortFunc(list, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), slices.Compare(a.Keys, b.Keys))
	})
	return list
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
	for _, k := range g.Keys {
		number(int64(len(k)))
		b.WriteString(k)
	}
	return b.String()
}

// record is a span or an evaluation.
type record struct {
	span       *span.Span
	evaluation *eval.Evaluation
}

func (r record) text(name string) string {
	if e := r.evaluation; e != nil {
		switch name {
		case RecordSetup:
			return e.SetupID
		case RecordEvaluator:
			return e.Evaluator
		case RecordStatus:
			return string(e.Status)
		case RecordReason:
			return e.Reason
		case RecordSource:
			return string(e.Source)
		}
		return string(e.Backend)
	}
	switch name {
	case RecordName:
		return r.span.Name
	case RecordWorkflow:
		return r.span.Workflow
	case RecordEntity:
		return r.span.Entity
	case RecordVendor:
		return r.span.Vendor
	case RecordRequestModel:
		return r.span.RequestModel
	}
	return r.span.ResponseModel
}

func (r record) number(name string) Value {
	if e := r.evaluation; e != nil {
		switch name {
		case RecordCost:
			return Value{Real: e.Usage.Cost}
		case RecordPromptTokens:
			return Value{Whole: e.Usage.PromptTokens}
		case RecordCompletionTokens:
			return Value{Whole: e.Usage.CompletionTokens}
		case RecordDuration:
			return Value{Whole: e.Duration}
		}
		return Value{Whole: e.Time}
	}
	if name == RecordStart {
		return Value{Whole: r.span.Start}
	}
	return Value{Whole: r.span.Duration}
}

// passes reports whether a filter, which is valid, holds.
func (r record) passes(f *Filter) bool {
	if !f.Operator.Numeric() {
		return f.Operator.Holds(r.text(f.Field.Name), true, f.Value, f.Values)
	}
	n, bound := r.number(f.Field.Name).Whole, int64(0)
	if whole, err := f.Whole(); err == nil {
		bound = whole
	}
	switch f.Operator {
	case OpGreaterThan:
		return n > bound
	case OpGreaterThanOrEqual:
		return n >= bound
	case OpLessThan:
		return n < bound
	}
	return n <= bound
}
