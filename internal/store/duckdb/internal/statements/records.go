// SPDX-License-Identifier: Apache-2.0

package statements

import (
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
)

// Aggregate returns the query of an aggregate, which is valid, on one
// partition, and its arguments. Of an aggregate that is the latest of something it
// takes in what is later than behind. Evaluations are grouped by their
// judgements first, which have what texts they have. It is not for an aggregate that
// IsCounted.
func Aggregate(a *query.Aggregate, b partitions.Bounds, behind int64) (string, []any) {
	c := &conditions{}
	evaluations := a.Subject == query.Evaluations
	where := append(c.ofSpans(a, b), c.ofRecords(a)...)
	if IsLatest(a) {
		where = append(where, recordColumn(a.Subject, a.Figures[0].Of.Name)+" > "+c.arg(behind)+"::BIGINT")
	}
	from := " FROM spans s"
	if evaluations {
		from = " FROM evaluations e JOIN spans s ON s.seq = e.seq"
	}
	from += " WHERE " + strings.Join(where, " AND ")
	figures := make([]string, len(a.Figures))
	for i := range a.Figures {
		figures[i] = figureOf(a.Subject, &a.Figures[i]) + " AS f" + strconv.Itoa(i)
	}
	keys := make([]string, len(a.By))
	for i, f := range a.By {
		keys[i] = recordColumn(a.Subject, f.Name)
	}
	step, shown := stepColumn(a), strings.Join(figures, ", ")
	if !evaluations || len(a.By) == 0 {
		return "SELECT " + strings.Join(append(append([]string{step}, keys...), shown), ", ") + from +
			" GROUP BY ALL HAVING count(*) > 0", c.args
	}
	return "SELECT g.step, " + strings.Join(keys, ", ") + ", g.* EXCLUDE (step, judgement) FROM (SELECT " + step + ", e.judgement, " +
		shown + from + " GROUP BY ALL) g JOIN judgements j ON j.id = g.judgement", c.args
}

// Some returns the query of an aggregate that counts evaluations on the first rows that
// its filters let through, whichever environment they are of: how many of these are to be
// counted, and how many rows there are, at most the limit.
func Some(a *query.Aggregate, b partitions.Bounds, limit int64) (string, []any) {
	c := &conditions{}
	spans, from := strings.Join(c.ofSpans(a, b), " AND "), "SELECT e.seq FROM evaluations e"
	if where := c.ofRecords(a); len(where) > 0 {
		from += " WHERE " + strings.Join(where, " AND ")
	}
	return "SELECT count(*) FILTER (WHERE " + spans + "), count(*) FROM (" + from + " LIMIT " + strconv.FormatInt(limit, 10) +
		") e LEFT JOIN spans s ON s.seq = e.seq", c.args
}

// ofSpans returns the conditions on the spans of an aggregate, in one partition.
func (c *conditions) ofSpans(a *query.Aggregate, b partitions.Bounds) []string {
	return []string{
		"s.env = " + strconv.Itoa(int(b.Code)),
		"s.start BETWEEN " + c.arg(a.From) + "::BIGINT AND " + c.arg(a.To) + "::BIGINT",
	}
}

// ofRecords returns the conditions that are the filters of an aggregate. Texts of
// evaluations are those of their judgements, which are few.
func (c *conditions) ofRecords(a *query.Aggregate) []string {
	where, judged := c.recordConditions(a)
	if len(judged) > 0 {
		where = append(where, "e.judgement IN (SELECT j.id FROM judgements j WHERE "+strings.Join(judged, " AND ")+")")
	}
	return where
}

// recordConditions returns the conditions that are the filters of an aggregate: on rows of spans or
// evaluations, and on the judgements of these.
func (c *conditions) recordConditions(a *query.Aggregate) (onRows, onJudgements []string) {
	for i := range a.Filters {
		f := &a.Filters[i]
		if condition := recordCondition(a.Subject, c, f); f.Operator.Numeric() || a.Subject != query.Evaluations {
			onRows = append(onRows, condition)
		} else {
			onJudgements = append(onJudgements, condition)
		}
	}
	return onRows, onJudgements
}

// stepColumn returns when the step begins that a span is in, as query.StepOf does.
func stepColumn(a *query.Aggregate) string {
	if a.Step == 0 {
		return "0::BIGINT AS step"
	}
	step := strconv.FormatInt(int64(a.Step), 10)
	return "s.start - ((s.start % " + step + ") + " + step + ") % " + step + " AS step"
}

// figureOf returns the expression of a figure.
func figureOf(subject query.Subject, f *query.Figure) string {
	switch f.Measure {
	case query.Count:
		return "count(*)"
	case query.CountSpans:
		return "count(DISTINCT e.seq)"
	}
	column := recordColumn(subject, f.Of.Name)
	kind := "BIGINT"
	if f.IsReal() {
		kind = "DOUBLE"
	}
	return "coalesce(" + string(f.Measure) + "(" + column + "), 0)::" + kind
}

// recordColumn returns where a field of records is.
func recordColumn(subject query.Subject, name string) string {
	switch {
	case subject == query.Spans && name == query.RecordEnd:
		return "least(s.start::HUGEINT + s.duration, 9223372036854775807)::BIGINT"
	case subject == query.Spans:
		return "s." + name
	}
	switch name {
	case query.RecordTime:
		return "e.ended"
	case query.RecordGood:
		return "(" + goodText + ")"
	case query.RecordSetup, query.RecordEvaluator, query.RecordStatus, query.RecordReason, query.RecordBackend, query.RecordSource:
		return "j." + name
	}
	return "e." + name
}

// recordCondition returns the condition of a filter, which is valid.
func recordCondition(subject query.Subject, c *conditions, f *query.Filter) string {
	column := recordColumn(subject, f.Field.Name)
	if f.Operator.Numeric() {
		bound, _ := f.Whole() // it was validated
		return column + comparison(f.Operator) + c.arg(bound) + "::BIGINT"
	}
	op, negated := f.Operator.Positive()
	values := f.Values
	if op == query.OpEquals {
		values = []string{f.Value}
	}
	condition := c.among(column, values)
	switch {
	case condition == "" && negated:
		return always
	case condition == "":
		return "false"
	case negated:
		return "NOT (" + condition + ")"
	}
	return condition
}

// IsLatest reports whether an aggregate asks for nothing but the latest start of
// spans, or the latest time of evaluations.
func IsLatest(a *query.Aggregate) bool {
	if len(a.By) > 0 || a.Step > 0 || len(a.Figures) != 1 || a.Figures[0].Measure != query.Max || a.Figures[0].Where != nil {
		return false
	}
	name := a.Figures[0].Of.Name
	return name == query.RecordStart || name == query.RecordTime
}
