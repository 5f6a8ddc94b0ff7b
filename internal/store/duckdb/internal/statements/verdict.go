// SPDX-License-Identifier: Apache-2.0

package statements

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/index"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

//go:embed sql/judges.sql
var judgesSQL string

// verdictColumn is what spans sort by that sort by a verdict, if verdicts are
// joined as v.
const verdictColumn = "coalesce(v.verdict, '-infinity'::DOUBLE)"

// judgeBytes is what a judge takes in memory, about.
const judgeBytes = 100

// judge is a judgement with one output that is asked for.
type judge struct {
	id       int32
	setup    string
	position int    // of the output in the list of values
	kind     string // letter of its type
}

// judgesIn returns the judgements of the evaluator that came to an end, with the
// place of the output.
func judgesIn(ctx context.Context, q *partitions.Querier, slug, output string) ([]judge, error) {
	if !utf8.ValidString(slug) || !utf8.ValidString(output) {
		return nil, nil // stored texts are UTF-8
	}
	var list []judge
	var judgements int64 // which only become more
	if err := q.Conn.QueryRowContext(ctx, "SELECT count(*) FROM judgements").Scan(&judgements); err != nil {
		return nil, err
	}
	name := strconv.Itoa(len(slug)) + slug + output
	if x, found := q.Recall().Get("judges", name, judgements); found {
		list, _ = x.([]judge)
		return list, nil
	}
	err := q.Each(ctx, judgesSQL, []any{slug, output}, func(rows *sql.Rows) error {
		var j judge
		err := rows.Scan(&j.id, &j.setup, &j.position, &j.kind)
		list = append(list, j)
		return err
	})
	if err == nil {
		q.Recall().Put("judges", name, judgements, list, judgeBytes*len(list))
	}
	return list, err
}

// verdicts are what a sort by them needs of a partition.
type verdicts struct {
	rows string // a statement; "" in any other order
	all  bool   // every hit has a row
}

// verdicts returns what a sort by verdicts needs of the partition that q is in.
func (s *Search) verdicts(ctx context.Context, q *partitions.Querier, p *Part, worst *query.Position) (verdicts, error) {
	if s.query.Order.By != query.SortEvaluation {
		return verdicts{}, nil
	}
	judges, err := judgesIn(ctx, q, s.query.Order.Slug, s.query.Order.Output)
	if err != nil {
		return verdicts{}, err
	}
	if len(judges) == 0 {
		return verdicts{rows: "SELECT NULL::BIGINT AS seq, NULL::DOUBLE AS verdict"}, nil
	}
	v, err := newVisit(ctx, q, p.bounds.Code, &s.hashes)
	if err != nil {
		return verdicts{}, err
	}
	if v.indexed {
		return s.indexedVerdicts(v, p, worst)
	}
	return verdicts{rows: verdictRows(judges, func(text, kind string) string {
		return "coalesce(" + tables.SortedNumber(text, kind) + ", '-infinity'::DOUBLE)"
	})}, nil
}

// indexedVerdicts returns the same by the index. Of the highest verdicts first, those
// that cannot be among the hits are left out, unless the statement counts as well; few
// spans are named one by one, so that the engine need not look for them.
func (s *Search) indexedVerdicts(v *visit, p *Part, worst *query.Position) (verdicts, error) {
	where := "field = " + v.field(query.Field{Name: s.query.Order.Slug, Output: s.query.Order.Output})
	least := math.Inf(-1)
	if worst != nil && s.query.Order.Descending && !p.counts() {
		least = worst.Real
	}
	few, enough := v.few(where, least)
	if !enough && s.query.Order.Descending && s.covers(p.bounds) && len(s.query.Filters) == 0 && v.err == nil {
		least = max(least, s.leastVerdict(v, where))
		few, enough = v.few(where, least)
	}
	if math.IsInf(least, -1) || v.err != nil {
		return verdicts{rows: "SELECT seq, coalesce(number, '-infinity'::DOUBLE) AS verdict FROM verdicts WHERE " + where}, v.err
	}
	switch {
	case enough && len(few) == 0:
		p.conditions.must("")
	case enough:
		p.conditions.must("s.seq IN (" + sqltext.Numbers(few) + ")") // which the index on seq finds
	}
	return verdicts{rows: "SELECT seq, number AS verdict FROM verdicts WHERE " + where + atLeast(least), all: true}, nil
}

// atLeast returns the condition, behind another one, that a verdict is a number that is
// not below a bound.
func atLeast(bound float64) string {
	return " AND number >= " + strconv.FormatFloat(bound, 'g', -1, 64) + "::DOUBLE"
}

// few returns which spans have verdicts of at least a bound that satisfy a condition, and
// whether they are few, which it does not find out without a bound.
func (v *visit) few(where string, least float64) (seqs []int64, are bool) {
	if math.IsInf(least, -1) || v.err != nil {
		return nil, false
	}
	v.fail(v.q.Each(v.ctx, "SELECT seq FROM verdicts WHERE "+where+atLeast(least)+" LIMIT "+strconv.Itoa(fewRows+1), nil, func(rows *sql.Rows) error {
		var seq int64
		err := rows.Scan(&seq)
		seqs = append(seqs, seq)
		return err
	}))
	return seqs, len(seqs) <= fewRows && v.err == nil
}

// leastVerdict returns the least verdict that is enough for a page behind the
// position of the query, -Inf if there are not so many.
func (s *Search) leastVerdict(v *visit, where string) float64 {
	c := &conditions{}
	if s.query.After != nil {
		where += " AND number < " + c.arg(s.query.After.Real) + "::DOUBLE"
	}
	if v.deleted() > 0 {
		where += " AND seq NOT IN (SELECT seq FROM gone)"
	}
	var n int
	var least sql.NullFloat64
	v.fail(v.q.Conn.QueryRowContext(v.ctx, "SELECT count(*), min(number) FROM (SELECT number FROM verdicts WHERE "+where+
		" AND number IS NOT NULL ORDER BY number DESC LIMIT "+strconv.Itoa(s.query.Limit+1)+")", c.args...).Scan(&n, &least))
	if n <= s.query.Limit || !least.Valid {
		return math.Inf(-1)
	}
	return least.Float64
}

// verdictRows selects rows of spans with what value makes of the text of their
// verdict and the letter of its type; value is never null. Of several verdicts on
// one span the latest counts; one setup makes one at most.
func verdictRows(judges []judge, value func(text, kind string) string) string {
	from := " FROM evaluations e WHERE " + oneOf("e.judgement", judges)
	verdict := verdictOf(judges, value)
	if !slices.ContainsFunc(judges, func(j judge) bool { return j.setup != judges[0].setup }) {
		return "SELECT e.seq AS seq, " + verdict + " AS verdict" + from
	}
	// One number says which was last: much cheaper than a pair.
	return "SELECT e.seq AS seq, arg_max(" + verdict + ", e.ended::HUGEINT * 4611686018427387904 + e.rowid) AS verdict" +
		from + " GROUP BY e.seq"
}

// verdictOf returns the value of an evaluation by one of the judges.
func verdictOf(judges []judge, value func(text, kind string) string) string {
	var values []string
	by := map[string][]judge{}
	for _, j := range judges {
		v := value("e.vals["+strconv.Itoa(j.position)+"]", j.kind)
		if by[v] == nil {
			values = append(values, v)
		}
		by[v] = append(by[v], j)
	}
	var b strings.Builder
	for _, v := range values[:len(values)-1] {
		b.WriteString("CASE WHEN " + oneOf("e.judgement", by[v]) + " THEN " + v + " ELSE ")
	}
	b.WriteString(values[len(values)-1])
	b.WriteString(strings.Repeat(" END", len(values)-1))
	return b.String()
}

// verdictOperand is the latest verdict of an evaluator's output, of any setup.
type verdictOperand query.Field

func (o verdictOperand) test(c *conditions, f query.Filter) string {
	return o.tests(c, []query.Filter{f}, query.OpAll)
}

// tests returns the condition that all of some filters hold, or any of them, by one
// look at the verdicts: as many joins as filters take the engine seconds to plan, and memory.
func (o verdictOperand) tests(c *conditions, filters []query.Filter, op query.Operator) string {
	if !utf8.ValidString(o.Name) || !utf8.ValidString(o.Output) {
		return ""
	}
	if c.in == nil {
		c.varies = true
		return c.compareAll("verdict", filters, op)
	}
	judges := c.in.judgesOf(query.Field(o))
	if len(judges) == 0 {
		return ""
	}
	if where := o.allInIndex(c.in, judges, filters, op); where != nil {
		set := c.in.find("verdicts", where)
		c.in.count(set.n)
		if set.n == 0 {
			return ""
		}
		return set.condition(c)
	}
	if filters[0].Operator == query.OpExists { // whichever is the latest
		return "s.seq IN (SELECT e.seq FROM evaluations e WHERE " + oneOf("e.judgement", judges) + ")"
	}
	condition := c.compareAll("verdict", filters, op)
	if condition == "" {
		return ""
	}
	return "s.seq IN (SELECT seq FROM (" + verdictRows(judges, func(text, _ string) string { return text }) + ") WHERE " + condition + ")"
}

// compareAll returns the condition that the text expr satisfies all filters, or any. Whether
// it is a number is found out once.
func (c *conditions) compareAll(expr string, filters []query.Filter, op query.Operator) string {
	before := len(c.args)
	var list, signs []string
	for _, f := range filters {
		if f.Operator.Numeric() {
			signs = append(signs, numberOf(expr)+comparison(f.Operator)+c.arg(f.Number)+"::DOUBLE")
			continue
		}
		condition := c.compareText(expr, f)
		switch {
		case condition != "":
			list = append(list, "("+condition+")")
		case op == query.OpAll:
			c.args = c.args[:before] // the engine refuses arguments that are not used
			return ""
		}
	}
	if len(signs) > 0 {
		list = append(list, "("+numeric(expr, "("+strings.Join(signs, between(op))+")")+")")
	}
	return strings.Join(list, between(op))
}

// allInIndex returns what makes the condition on the rows of verdicts that all filters
// ask for, or any, nil where the index cannot tell.
func (o verdictOperand) allInIndex(in *visit, judges []judge, filters []query.Filter, op query.Operator) func(*conditions) string {
	makes := make([]func(*conditions) string, len(filters))
	for i, f := range filters {
		if makes[i] = o.inIndex(in, judges, f); makes[i] == nil {
			return nil
		}
	}
	return func(c *conditions) string {
		list := make([]string, len(makes))
		for i, where := range makes {
			list[i] = "(" + where(c) + ")"
		}
		return strings.Join(list, between(op))
	}
}

// inIndex returns what makes the condition on the rows of verdicts that f asks for,
// nil where the index cannot tell.
func (o verdictOperand) inIndex(in *visit, judges []judge, f query.Filter) func(*conditions) string {
	if !in.indexed {
		return nil
	}
	field := "field = " + in.field(query.Field(o))
	switch {
	case f.Operator == query.OpExists:
		return func(*conditions) string { return field }
	case f.Operator.Numeric() && !slices.ContainsFunc(judges, func(j judge) bool { return j.kind == "s" }):
		return func(c *conditions) string {
			return field + " AND number" + comparison(f.Operator) + c.arg(f.Number) + "::DOUBLE" +
				" AND isfinite(number) AND (text IS NULL OR regexp_full_match(text, " + sqltext.Quoted(query.NumberPattern) + "))"
		}
	case (f.Operator == query.OpEquals || f.Operator == query.OpIn) && held(f):
		return func(c *conditions) string { return field + " AND (" + verdictIs(c, valuesOf(f)) + ")" }
	}
	return nil
}

// verdictIs returns the condition that a row of verdicts has one of some texts.
func verdictIs(c *conditions, texts []string) string {
	list := c.among("text", texts)
	var numbers []string
	for _, t := range texts {
		if n, ok := index.Number(t); ok {
			numbers = append(numbers, c.arg(n)+"::DOUBLE")
		}
	}
	if len(numbers) == 0 {
		return list
	}
	return list + " OR text IS NULL AND number IN (" + strings.Join(numbers, ", ") + ")"
}

// conditionsIn returns what rows of the partition that q is in must satisfy, and how
// many do, if that is known. What the partition has is looked up first: it is what
// makes many filters cheap.
func (s *Search) conditionsIn(ctx context.Context, q *partitions.Querier, b partitions.Bounds) (conditions, sql.NullInt64, error) {
	if !s.conditions.varies {
		return s.conditions.clone(), sql.NullInt64{}, nil
	}
	v, err := newVisit(ctx, q, b.Code, &s.hashes)
	if err != nil {
		return conditions{}, sql.NullInt64{}, err
	}
	v.from, v.to, v.first, v.last = s.query.From, s.query.To, b.Min, b.Max
	v.spans = b.Spans
	c := conditions{stored: s.conditions.stored, in: v}
	condition, err := c.filter(query.All(s.query.Filters...), s.slug)
	c.must(condition)
	if err != nil || v.err != nil {
		return c, sql.NullInt64{}, errors.Join(err, v.err)
	}
	n, err := s.countedIn(v, b)
	return c, n, err
}

// covers reports whether the time that the query asks for has all that is bounded.
func (s *Search) covers(b partitions.Bounds) bool {
	return s.query.From <= b.Min && b.Max <= s.query.To && b.Messages == 0
}

// countedIn returns how many spans of a partition satisfy the query, if the one
// condition that it has was looked up.
func (s *Search) countedIn(v *visit, b partitions.Bounds) (n sql.NullInt64, err error) {
	if !v.counted.Valid || !s.covers(b) || s.ofOutputs() || len(s.query.Filters) != 1 || len(s.query.Filters[0].Filters) > 0 {
		return n, nil
	}
	if _, negated := s.query.Filters[0].Operator.Positive(); !negated {
		return v.counted, nil
	}
	err = v.q.Conn.QueryRowContext(v.ctx, "SELECT count(*) FROM spans WHERE env = "+strconv.Itoa(int(b.Code))).Scan(&n)
	n.Int64 -= v.counted.Int64
	return n, err
}

// oneOf returns the condition that a column has one of the judgements.
func oneOf(column string, judges []judge) string {
	if len(judges) == 1 {
		return column + " = " + strconv.Itoa(int(judges[0].id))
	}
	ids := make([]int32, len(judges))
	for i, j := range judges {
		ids[i] = j.id
	}
	return column + " IN (" + sqltext.Numbers(ids) + ")"
}
