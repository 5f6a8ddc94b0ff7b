// SPDX-License-Identifier: Apache-2.0

package query

import (
	"slices"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Matches reports whether the query asks for a span, or for an output of that
// span, whatever its position and limit. Arguments are those of Filter.Match.
func (q *Query) Matches(s *span.Span, o *Output, made ...eval.Evaluation) bool {
	all := All(q.Filters...)
	return q.From <= s.Start && s.Start <= q.To && all.Match(s, o, made...)
}

// Match reports whether the condition holds for a span as the API shows it: its
// attributes have the verdicts, of each output the latest. Where outputs are
// asked for o is one of that span's; else it is nil. made are the evaluations of
// the span, of every status.
func (f *Filter) Match(s *span.Span, o *Output, made ...eval.Evaluation) bool {
	switch {
	case f.Operator == OpAll:
		return !slices.ContainsFunc(f.Filters, func(part Filter) bool { return !part.Match(s, o, made...) })
	case f.Operator == OpAny:
		return slices.ContainsFunc(f.Filters, func(part Filter) bool { return part.Match(s, o, made...) })
	case f.Operator == OpJudged:
		return slices.ContainsFunc(made, func(e eval.Evaluation) bool { return f.MatchEvaluation(&e) })
	case f.Field.Kind == FieldJudged:
		return f.Holds(f.Field.judged(made)...)
	case f.Field.Kind == FieldOutput:
		return o != nil && f.matchOutput(o)
	case f.Field.Kind == FieldColumn:
		switch field, found := span.FieldOf(f.Field.Name); {
		case found && field.Nanos != nil:
			return f.holdsNumber(field.Value(s))
		case found && field.List != nil:
			return f.matchAny(field.List(s))
		}
	}
	return f.holdsIf(f.Field.of(s))
}

// MatchEvaluation reports whether one evaluation satisfies all conditions of a filter
// with OpJudged.
func (f *Filter) MatchEvaluation(e *eval.Evaluation) bool {
	return !slices.ContainsFunc(f.Filters, func(part Filter) bool {
		if part.Field.Output != JudgedTime {
			return !part.Match(nil, nil, *e)
		}
		bound, err := part.Whole()
		return err != nil || !compares(part.Operator, e.Time, bound) || part.Field.Name != "" && part.Field.Name != e.Evaluator
	})
}

// judged returns the texts that evaluations have of the field.
func (f Field) judged(made []eval.Evaluation) (texts []string) {
	for i := range made {
		e := &made[i]
		text := map[string]string{
			JudgedStatus: string(e.Status), JudgedReason: e.Reason, JudgedBackend: string(e.Backend), JudgedSetup: e.SetupID, JudgedGood: goodText(e),
		}[f.Output]
		if (f.Name == "" || f.Name == e.Evaluator) && text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// goodText returns whether an evaluation speaks for its span, "" where it does neither.
func goodText(e *eval.Evaluation) string {
	if good := e.Good(); good != nil {
		return strconv.FormatBool(*good)
	}
	return ""
}

// holdsIf is Holds for a text that was found or not.
func (f *Filter) holdsIf(text string, found bool) bool {
	if !found {
		return f.Holds()
	}
	return f.Holds(text)
}

func (f *Filter) matchAny(list span.Attributes) bool {
	values := make([]string, len(list))
	for i := range list {
		values[i] = list[i].Value
	}
	return f.Holds(values...)
}

// holdsNumber is Holds for a field that is a number, given by its text: values
// that it may equal are compared as numbers, by other operators it is text.
func (f *Filter) holdsNumber(text string) bool {
	op, negated := f.Operator.Positive()
	if op != OpEquals && op != OpIn {
		return f.Holds(text)
	}
	n, ok := ParseNumber(text)
	return (ok && f.holdsForNumber(op, n)) != negated
}

// of returns the text of a field that has one at most.
func (f Field) of(s *span.Span) (text string, found bool) {
	switch f.Kind {
	case FieldColumn, FieldAlias:
		if field, known := span.FieldOf(f.Name); known {
			text = field.Value(s)
		}
		return text, text != ""
	case FieldMessage:
		if text, found = s.Prompts.Get(f.Name); !found {
			text, found = s.Completions.Get(f.Name)
		}
	case FieldAttribute:
		if text, found = s.Attributes.Get(f.Name); !found {
			text, found = s.Resource.Get(f.Name)
		}
	case FieldSpanAttribute:
		return s.Attributes.Get(f.Name)
	case FieldResourceAttribute:
		return s.Resource.Get(f.Name)
	case FieldEvaluation:
		return verdict(s, f.Name, f.Output)
	}
	return text, found
}

// verdict returns the text of an evaluator's output.
func verdict(s *span.Span, slug, output string) (string, bool) {
	return s.Attributes.Get(tenant.EvaluationPrefix + slug + "." + output)
}
