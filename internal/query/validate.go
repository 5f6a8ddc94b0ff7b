// SPDX-License-Identifier: Apache-2.0

package query

import (
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// Validate refuses, as Invalid, a query that means nothing: engines call it
// before they look at the rest.
func (q *Query) Validate() error {
	most := MaxLimit
	if q.Brief {
		most = MaxBrief
	}
	if q.Limit > most || q.Limit < 0 || q.Limit == 0 && !q.Total {
		return fault.New(fault.Invalid, "limit must be between 1 and %d", most)
	}
	if q.Brief && q.Subject != Spans {
		return fault.New(fault.Invalid, "only spans can be brief")
	}
	if err := q.Order.validate(q.Subject); err != nil {
		return err
	}
	return validateFilters(q.Filters, q.Subject)
}

func (o Order) validate(subject Subject) error {
	known := false
	switch o.By {
	case SortTimestamp:
		known = subject == Spans || subject == Outputs
	case SortMetric, SortNumber:
		known = subject == Outputs
	case SortEvaluation:
		known = subject == Spans
	default:
		f, found := span.FieldOfSort(string(o.By))
		known = found && f.Sort[0] == string(o.By) && subject == Spans
	}
	switch {
	case !known:
		return fault.New(fault.Invalid, "sort_by %q is not known", o.By)
	case o.By == SortEvaluation && (o.Slug == "" || o.Output == ""):
		return fault.New(fault.Invalid, "sort_by must name an evaluator and its output")
	}
	return nil
}

func validateFilters(filters []Filter, subject Subject) error {
	for i := range filters {
		f := &filters[i]
		switch {
		case f.Operator == OpAll, f.Operator == OpAny:
			if err := validateFilters(f.Filters, subject); err != nil {
				return err
			}
		case f.Operator == OpJudged:
			if err := validateJudged(f.Filters); err != nil {
				return err
			}
		case !f.Operator.Known():
			return fault.New(fault.Invalid, "operator %q is not known", f.Operator)
		case !f.Field.known(subject):
			return fault.New(fault.Invalid, "field %q is not known", f.Field.Name)
		}
	}
	return nil
}

// validateJudged refuses what one evaluation cannot be asked for.
func validateJudged(filters []Filter) error {
	for i := range filters {
		switch f := &filters[i]; {
		case f.Field.Kind == FieldJudged && f.Field.Output == JudgedTime && f.Operator.Numeric():
			if _, err := f.Whole(); err != nil {
				return err
			}
		case f.Operator != OpEquals && f.Operator != OpIn && f.Operator != OpExists:
			return fault.New(fault.Invalid, "operator %q is not known of one evaluation", f.Operator)
		case f.Field.Kind != FieldJudged || !f.Field.known(Spans):
			return fault.New(fault.Invalid, "field %q is not known of one evaluation", f.Field.Name)
		}
	}
	return nil
}

// known reports whether what a query asks for has such a field.
func (f Field) known(subject Subject) bool {
	switch f.Kind {
	case FieldColumn, FieldAlias:
		field, found := span.FieldOf(f.Name)
		return found && !field.Keyed && fieldOf(field) == f
	case FieldMessage:
		return strings.HasPrefix(f.Name, "llm.prompts.") || strings.HasPrefix(f.Name, "llm.completions.")
	case FieldOutput:
		switch f.Name {
		case OutputEvaluator, OutputName, OutputSetup, OutputBackend, OutputSource, OutputText, OutputNumber, OutputBool:
			return subject == Outputs
		}
		return false
	case FieldJudged:
		switch f.Output {
		case JudgedStatus, JudgedReason, JudgedBackend, JudgedSetup, JudgedGood:
			return true
		}
		return false
	case FieldAttribute, FieldSpanAttribute, FieldResourceAttribute, FieldEvaluation:
		return true
	}
	return false
}
