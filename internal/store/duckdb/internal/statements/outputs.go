// SPDX-License-Identifier: Apache-2.0

package statements

import (
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// OutputPlace is where an output is stored, and what is known of it besides its
// value.
type OutputPlace struct {
	Row       int64 // rowid of the evaluation
	Judgement int64
	At        int    // its place in the list of values, from 1 on
	Kind      string // letter of its type
	Backend   string
	Source    string
	Version   string
	Model     string
}

// outputText is the text of an output's value.
const outputText = "e.vals[j.place]"

// metricSource is what query.Output.MetricSource returns.
var metricSource = func() string {
	text := "CASE"
	for _, source := range opinion.Sources() {
		prefix := sqltext.Quoted(opinion.Prefix(source))
		text += " WHEN starts_with(j.evaluator, " + prefix + ") AND j.evaluator <> " + prefix + " THEN " + sqltext.Quoted(string(source))
	}
	return text + " WHEN j.backend = " + sqltext.Quoted(string(eval.Judge)) + " THEN " + sqltext.Quoted(query.SourceJudge) + " ELSE replace(j.evaluator, '-', '_') END"
}()

// outputNumber is what outputs sort by that sort by their number.
var outputNumber = "coalesce(CASE WHEN j.kind = 'b' THEN " + tables.SortedNumber(outputText, "b") +
	" WHEN j.kind IN ('i', 'f') THEN " + tables.SortedNumber(outputText, "f") + " END, '-infinity'::DOUBLE)"

// names returns the rank of the names that outputs of one span sort by.
func (s *Search) names() string {
	if s.query.Order.By == query.SortMetric {
		return "j.owner"
	}
	return "j.ranked"
}

// output returns a field of an output.
func output(name string) (operand, bool) {
	switch name {
	case query.OutputEvaluator:
		return columnOperand("j.evaluator"), true
	case query.OutputName:
		return columnOperand("j.name"), true
	case query.OutputSetup:
		return columnOperand("j.setup"), true
	case query.OutputBackend:
		return columnOperand("j.backend"), true
	case query.OutputSource:
		return columnOperand("j.source"), true
	case query.OutputMetricSource:
		return textOperand(metricSource), true
	case query.OutputText:
		return textOperand("CASE WHEN j.kind = 's' THEN " + outputText + " END"), true
	case query.OutputBool:
		return textOperand("CASE WHEN j.kind = 'b' THEN " + outputText + " END"), true
	case query.OutputNumber:
		return numberOperand("CASE WHEN j.kind IN ('i', 'f') THEN " + outputText + " END"), true
	}
	return nil, false
}

// numberOperand is the text of a number that is null where it is absent. Values
// that it equals are compared as numbers; what is not finite equals none.
type numberOperand string

func (o numberOperand) test(c *conditions, f query.Filter) string {
	text := string(o)
	number := "TRY_CAST(" + text + " AS DOUBLE)"
	switch {
	case f.Operator == query.OpEquals:
		f.Values = []string{f.Value}
	case f.Operator.Numeric():
		return "isfinite(" + number + ") AND " + number + comparison(f.Operator) + c.arg(f.Number) + "::DOUBLE"
	case f.Operator != query.OpIn:
		return c.compareText(text, f)
	}
	return c.inNumbers(number, f.Values)
}

// inNumbers returns the condition that a number is one of the values.
func (c *conditions) inNumbers(number string, values []string) string {
	var list []string
	for _, v := range values {
		if n, ok := query.ParseNumber(v); ok {
			list = append(list, c.arg(n)+"::DOUBLE")
		}
	}
	if len(list) == 0 {
		return ""
	}
	return number + " IN (" + strings.Join(list, ", ") + ")"
}
