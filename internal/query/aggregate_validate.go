// SPDX-License-Identifier: Apache-2.0

package query

import (
	"slices"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// General reports whether an aggregate asks for more than records have: it is
// answered like a query then, with all that filters of a query can look at.
func (a *Aggregate) General() bool {
	if a.Subject == Outputs || a.Only != nil || a.Limit != 0 || a.Rollup != nil {
		return true
	}
	record := func(f Field) bool { return f.Kind == FieldRecord && f.Name != RecordGood }
	return slices.ContainsFunc(a.Filters, func(f Filter) bool { return !record(f.Field) }) ||
		slices.ContainsFunc(a.By, func(f Field) bool { return !record(f) }) ||
		slices.ContainsFunc(a.Figures, func(f Figure) bool {
			return f.Measure == Quantile || f.Of.Kind != "" && !record(f.Of) ||
				f.Where != nil && (a.Subject != Evaluations || f.Where.Field.Kind != FieldRecord || f.Where.Operator.Numeric())
		})
}

// Gathers reports whether an aggregate can only be answered from all of its rows at
// once, and not from groups of parts of them: it asks for a quantile.
func (a *Aggregate) Gathers() bool { return a.has(Quantile) }

func (a *Aggregate) has(m Measure) bool {
	return slices.ContainsFunc(a.Figures, func(f Figure) bool { return f.Measure == m })
}

// counts reports whether an aggregate asks for nothing but how many evaluations there are.
func (a *Aggregate) counts() bool {
	return a.Enough > 0 && a.Subject == Evaluations && !a.General() && len(a.By) == 0 && a.Step == 0 &&
		len(a.Figures) == 1 && a.Figures[0] == Figure{Measure: Count}
}

// Validate refuses, as Invalid, an aggregate that means nothing: engines call it
// before they look at the rest.
func (a *Aggregate) Validate() error {
	if a.Subject != Spans && a.Subject != Outputs && a.Subject != Evaluations {
		return fault.New(fault.Invalid, "%q cannot be aggregated", a.Subject)
	}
	if a.Step < 0 || a.Limit < 0 {
		return fault.New(fault.Invalid, "a step and a limit must not be negative")
	}
	if a.Enough != 0 && !a.counts() {
		return fault.New(fault.Invalid, "only a number of evaluations can be enough, of at least 1")
	}
	if len(a.Figures) == 0 {
		return fault.New(fault.Invalid, "an aggregate needs a figure")
	}
	if r := a.Rollup; r != nil && (r.Top < 0 || r.Series < 0 || a.Only != nil || a.Figures[0].Measure != Count) {
		return fault.New(fault.Invalid, "a rollup needs a count first, no wanted groups, and numbers of groups that are not negative")
	}
	for _, f := range a.By {
		if !f.groups(a.Subject) {
			return fault.New(fault.Invalid, "%q cannot be grouped by", f.Name)
		}
	}
	for _, keys := range a.Only {
		if len(keys) != len(a.By) {
			return fault.New(fault.Invalid, "a wanted group needs as many keys as there are fields to group by")
		}
	}
	for i := range a.Figures {
		if err := a.validateFigure(&a.Figures[i]); err != nil {
			return err
		}
	}
	for i := range a.Filters {
		if err := a.validateFilter(&a.Filters[i]); err != nil {
			return err
		}
	}
	return nil
}

// groups reports whether a field is a text that a subject is grouped by.
func (f Field) groups(subject Subject) bool {
	switch f.Kind {
	case FieldRecord:
		return recordText[subject][f.Name]
	case FieldColumn, FieldAlias:
		field, found := span.FieldOf(f.Name)
		return found && (field.Text != nil || f == TraceField) && fieldOf(field) == f
	case FieldAttribute, FieldSpanAttribute, FieldResourceAttribute:
		return true
	case FieldOutput:
		return f.Name != OutputNumber && f.known(subject) || f.Name == OutputMetricSource && subject == Outputs
	case FieldMessage, FieldEvaluation, FieldJudged:
	}
	return false
}

// measures reports whether a field is a number of a subject.
func (f Field) measures(subject Subject) bool {
	switch f.Kind {
	case FieldRecord:
		return recordNumber[subject][f.Name]
	case FieldColumn, FieldAlias:
		field, found := span.FieldOf(f.Name)
		return found && (field.Nanos != nil || field.Count != nil) && fieldOf(field) == f
	case FieldOutput:
		return f.Name == OutputNumber && subject == Outputs
	case FieldMessage, FieldAttribute, FieldSpanAttribute, FieldResourceAttribute, FieldEvaluation, FieldJudged:
	}
	return false
}

func (a *Aggregate) validateFigure(f *Figure) error {
	if f.Where != nil {
		if err := a.validateFilter(f.Where); err != nil {
			return err
		}
	}
	switch f.Measure {
	case Count:
		if f.Of == (Field{}) || f.Of.measures(a.Subject) {
			return nil
		}
	case CountSpans:
		if a.Subject == Evaluations && !a.has(Quantile) {
			return nil
		}
	case Quantile:
		if f.Percent < 1 || f.Percent > 100 {
			return fault.New(fault.Invalid, "the percentage of a quantile must be 1 to 100")
		}
		fallthrough
	case Sum, Min, Max:
		if f.Of.measures(a.Subject) {
			return nil
		}
		return fault.New(fault.Invalid, "%q has no %s", f.Of.Name, f.Measure)
	}
	return fault.New(fault.Invalid, "measure %q is not known", f.Measure)
}

func (a *Aggregate) validateFilter(f *Filter) error {
	if f.Field.Kind != FieldRecord {
		return validateFilters([]Filter{*f}, a.Subject)
	}
	op, _ := f.Operator.Positive()
	switch {
	case recordText[a.Subject][f.Field.Name] && (op == OpEquals || op == OpIn):
		return nil
	case recordNumber[a.Subject][f.Field.Name] && f.Field.Name != RecordProbability && op.Numeric():
		_, err := f.Whole()
		return err
	}
	return fault.New(fault.Invalid, "%q cannot be filtered by %q", f.Field.Name, f.Operator)
}

// Whole returns the whole number that a filter compares with, which Number may be
// too coarse for.
func (f *Filter) Whole() (int64, error) {
	n, err := strconv.ParseInt(f.Value, 10, 64)
	if err != nil {
		return 0, fault.New(fault.Invalid, "%q must be compared with a whole number", f.Field.Name)
	}
	return n, nil
}

// IsReal reports whether a figure is in Value.Real: costs and numbers of outputs
// are, and sums of what is not of a record.
func (f *Figure) IsReal() bool {
	switch {
	case f.Measure == Count || f.Measure == CountSpans:
		return false
	case f.Of.Kind == FieldRecord:
		return f.Of.Name == RecordCost || f.Of.Name == RecordProbability
	}
	return f.Of.Kind == FieldOutput || f.Measure == Sum
}

// ErrGroups refuses an aggregate of more groups than its limit.
func (a *Aggregate) ErrGroups() error {
	return fault.New(fault.Invalid, "there are more than %d groups: ask for a shorter period, longer steps or another field to group by", a.Limit)
}
