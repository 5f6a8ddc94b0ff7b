// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
)

// operand returns what a field, which is valid, refers to.
func (s *search) operand(f query.Field) operand {
	switch f.Kind {
	case query.FieldMessage:
		return textOperand(entries(f.Name, "own_prompts", "own_completions"))
	case query.FieldAttribute:
		return textOperand(entries(f.Name, "attributes", "resource"))
	case query.FieldSpanAttribute:
		return textOperand(entries(f.Name, "attributes"))
	case query.FieldResourceAttribute:
		return textOperand(entries(f.Name, "resource"))
	case query.FieldEvaluation:
		return textOperand(s.verdict(f.Name, f.Output))
	case query.FieldJudged:
		return func(on query.Filter) string { return s.judged(on) }
	case query.FieldOutput:
		return s.output(f.Name)
	}
	return s.field(f.Name)
}

// entries returns the entry of a key in the first map that has it, NULL where none
// has.
func entries(key string, maps ...string) string {
	expr := "multiIf("
	for _, m := range maps {
		if into := foldedInto(key); into != "" && m == "attributes" {
			expr += "has(folded, " + sqltext.Literal(key) + "), toNullable(" + into + "), "
		}
		expr += "mapContains(" + m + ", " + sqltext.Literal(key) + "), toNullable(" + m + "[" + sqltext.Literal(key) + "]), "
	}
	return expr + "NULL)"
}

// field returns a field of the span as the API names it, or a promoted value.
func (s *search) field(name string) operand {
	switch name {
	case "environment":
		return fixedOperand(s.env.Slug)
	case "trace_id":
		return idOperand("trace", len(span.TraceID{}))
	case "span_id":
		return idOperand("id", len(span.ID{}))
	case "parent_span_id":
		return idOperand("parent", len(span.ID{}))
	case "prompts", "completions":
		return anyOperand("own_" + name)
	}
	column := columnNames[name]
	f, _ := span.FieldOf(name)
	switch {
	case f.Nanos != nil:
		millis := "intDiv(" + column + ", 1000000)"
		return numberOperand("toFloat64("+millis+")", "toString("+millis+")")
	case f.Billionths:
		n := "nullIf(" + column + ", -1)"
		return textOperand("replaceRegexpOne(concat(toString(intDiv(" + n + ", 1000000000)), '.', leftPad(toString(" + n + " % 1000000000), 9, '0')), '[.]?0*$', '')")
	case f.Count != nil:
		return textOperand("toString(nullIf(" + column + ", -1))")
	}
	return textOperand("nullIf(toString(" + column + "), '')")
}

// verdict returns the text of an evaluator's output, NULL where there is none: of
// several setups that ran it, of the one that did last.
func (s *search) verdict(slug, output string) string {
	s.source.withEvaluations()
	made := "arrayFilter(e -> " + s.source.evaluation("evaluator") + " = " + sqltext.Literal(slug) + " AND " + s.source.evaluation("status") + " = '" +
		string(eval.Done) + "' AND has(" + s.source.evaluation("names") + ", " + sqltext.Literal(output) + "), evs)"
	texts := s.source.evaluation("texts") + "[arrayLastIndex(n -> n = " + sqltext.Literal(output) + ", " + s.source.evaluation("names") + ")]"
	// Of those of one time the last of the array counts, as sortMade has it.
	text := "(arrayMap(e -> toNullable(" + texts + "), arraySort((e, n) -> (-" + s.source.evaluation("time") + ", -n), " + made +
		", arrayEnumerate(" + made + ")))[1])"
	if !s.source.late {
		text = onlyVerdict(slug, output, text)
	}
	return s.source.verdict(text)
}

// onlyVerdict returns a verdict of the row of a span, by its place in the arrays where an
// evaluator is there once, as most are. It takes a fraction of the time of the others' text.
func onlyVerdict(slug, output, others string) string {
	column := func(name string) string { return "s." + arrayPrefix + name }
	times := "countEqual(" + column("evaluator") + ", " + sqltext.Literal(slug) + ")"
	at := "[indexOf(" + column("evaluator") + ", " + sqltext.Literal(slug) + ")]"
	place := "arrayLastIndex(n -> n = " + sqltext.Literal(output) + ", " + column("names") + at + ")"
	return "multiIf(" + times + " = 0, NULL, " + times + " > 1, " + others + ", " + column("status") + at + " = '" + string(eval.Done) + "' AND " + place + " > 0, toNullable(" +
		column("texts") + at + "[" + place + "]), NULL)"
}

// judgedColumns are the columns of the members of FieldJudged.
var judgedColumns = map[string]string{
	query.JudgedStatus: "status", query.JudgedReason: "reason", query.JudgedBackend: "backend", query.JudgedSetup: "setup",
	query.JudgedGood: query.RecordGood,
}

// told returns the text of a member of an evaluation: that of a column, or whether it
// speaks for its span.
func (s *source) told(name string) string {
	if name == query.RecordGood {
		return s.good()
	}
	return s.evaluation(name)
}

// good returns whether an evaluation that is called e speaks for its span, as
// query.RecordGood is.
func (s *source) good() string {
	var known []string
	goods := ""
	for _, side := range eval.Sides() {
		names := make([]string, len(side.Names))
		for i, name := range side.Names {
			names[i] = sqltext.Literal(name)
		}
		is := "o.1 IN (" + strings.Join(names, ", ") + ")"
		if side.Prefix != "" {
			is = "(" + is + " OR startsWith(o.1, " + sqltext.Literal(side.Prefix) + "))"
		}
		goods += is + ", " + sqltext.Literal(side.Good) + ", "
		if !side.Any {
			is = "(" + is + " AND o.3 = 'b')"
		}
		known = append(known, is)
	}
	sides := "arrayFilter(o -> " + strings.Join(known, " OR ") + ", arrayZip(" + s.evaluation("names") + ", " + s.evaluation("texts") +
		", splitByString('', " + s.evaluation("kinds") + ")))"
	return "multiIf(" + s.evaluation("status") + " != '" + string(eval.Done) + "' OR empty(" + sides + "), '', arrayAll(o -> o.2 = multiIf(" + goods + "''), " + sides + "), 'true', 'false')"
}

// judged returns the condition that one evaluation satisfies all of some filters, which
// are on members of it and have positive operators.
func (s *search) judged(filters ...query.Filter) string {
	s.source.withEvaluations()
	tests := []string{"1"}
	for _, f := range filters {
		if f.Field.Output == query.JudgedTime {
			bound, _ := f.Whole() // it was validated
			tests = append(tests, s.source.evaluation("time")+comparison(f.Operator)+strconv.FormatInt(bound, 10))
		} else {
			column := s.source.told(judgedColumns[f.Field.Output])
			test := compareText(column, f)
			if test == sqltext.Never {
				return sqltext.Never
			}
			tests = append(tests, "notEmpty("+column+")", "ifNull("+test+", 0)")
		}
		if f.Field.Name != "" {
			tests = append(tests, s.source.evaluation("evaluator")+" = "+sqltext.Literal(f.Field.Name))
		}
	}
	return "arrayExists(e -> " + strings.Join(tests, " AND ") + ", evs)"
}

// output returns a field of the output that a row is about.
func (s *search) output(name string) operand {
	kind := func(kinds string, of operand) operand {
		return func(f query.Filter) string {
			test := of(f)
			if test == sqltext.Never {
				return sqltext.Never
			}
			return "(position('" + kinds + "', output_kind) > 0 AND ifNull(" + test + ", 0))"
		}
	}
	switch name {
	case query.OutputEvaluator:
		return textOperand("nullIf(" + s.source.evaluation("evaluator") + ", '')")
	case query.OutputName:
		return textOperand("nullIf(output_name, '')")
	case query.OutputSetup:
		return textOperand("nullIf(" + s.source.evaluation("setup") + ", '')")
	case query.OutputBackend:
		return textOperand("nullIf(" + s.source.evaluation("backend") + ", '')")
	case query.OutputSource:
		return textOperand("nullIf(" + s.source.evaluation("source") + ", '')")
	case query.OutputText:
		return kind(string(kindText), textOperand("output_text"))
	case query.OutputBool:
		return kind(string(kindBool), textOperand("output_text"))
	}
	return kind(kindsOfNum, numberOperand(numberOf("output_text"), "output_text"))
}
