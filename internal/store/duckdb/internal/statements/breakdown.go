// SPDX-License-Identifier: Apache-2.0

package statements

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// Breakdown makes the statements of a general aggregate: the rows that match, with
// the texts that they are grouped by and the numbers that are measured, and
// figures of those.
type Breakdown struct {
	*query.Aggregate
	search *Search
	logged []loggedFilter // of conditions on what is measured, too
}

// gathered is the temporary table of rows whose figures need all of them.
const gathered = "gathered"

// NewBreakdown returns the statements of an aggregate, which is valid and general.
// Arguments and errors are those of NewSearch.
func NewBreakdown(a *query.Aggregate, slug string, apart bool) (*Breakdown, error) {
	q := query.Query{Subject: a.Subject, From: a.From, To: a.To}
	for _, f := range a.Filters {
		if f.Field.Kind != query.FieldRecord {
			q.Filters = append(q.Filters, f)
		}
	}
	s, err := NewSearch(q, slug, apart)
	if err != nil {
		return nil, err
	}
	b := &Breakdown{Aggregate: a, search: s}
	// What the conditions of figures look into has to be prepared as well.
	c := s.conditions.clone()
	for i := range a.Figures {
		if _, err := b.where(&c, &a.Figures[i]); err != nil {
			return nil, err
		}
	}
	b.logged, s.conditions.varies = c.logged, c.varies
	return b, nil
}

// Never reports whether nothing can satisfy the filters.
func (b *Breakdown) Never() bool { return b.search.Never() }

// Prepare makes the tables that the statements need, from what some partitions
// have.
func (b *Breakdown) Prepare(ctx context.Context, q *partitions.Querier, within []partitions.Held) error {
	for _, l := range b.logged {
		if err := l.prepare(ctx, q, within); err != nil {
			return err
		}
	}
	if !b.Gathers() {
		return nil
	}
	columns := []string{"step BIGINT"}
	for i := range b.By {
		columns = append(columns, key(i)+" VARCHAR")
	}
	for i := range b.Figures {
		if numberAt(b.Figures, i) == i {
			columns = append(columns, number(i)+" "+kindOf(&b.Figures[i]))
		}
	}
	return q.MakeTemp(ctx, gathered, "("+strings.Join(columns, ", ")+")")
}

// On returns the statement, and its arguments, for the partition that q is in, in
// which bounds are known of the environment; "" where nothing there matches.
func (b *Breakdown) On(ctx context.Context, q *partitions.Querier, bounds partitions.Bounds) (string, []any, error) {
	c, _, err := b.search.conditionsIn(ctx, q, bounds)
	if err != nil || c.never {
		return "", nil, err
	}
	what := []string{stepColumn(b.Aggregate)}
	for i, f := range b.By {
		text, err := b.text(&c, f)
		if err != nil {
			return "", nil, err
		}
		what = append(what, text+" AS "+key(i))
	}
	for i := range b.Figures {
		if numberAt(b.Figures, i) != i {
			continue
		}
		n, err := b.measured(&c, &b.Figures[i])
		if err != nil {
			return "", nil, err
		}
		what = append(what, n+"::"+kindOf(&b.Figures[i])+" AS "+number(i))
	}
	if c.in != nil && c.in.err != nil {
		return "", nil, c.in.err
	}
	for i := range b.Filters {
		if b.Filters[i].Field.Kind == query.FieldRecord {
			c.where = append(c.where, recordCondition(b.Subject, &c, &b.Filters[i]))
		}
	}
	if b.Subject == query.Evaluations {
		judgements := "judgements"
		if b.sided() {
			judgements = sidedJudgements
		}
		c.joins = append(c.joins, "JOIN evaluations e ON e.seq = s.seq", "JOIN "+judgements+" j ON j.id = e.judgement")
	}
	st := b.search.statement(strings.Join(what, ", "), bounds, c)
	if b.Gathers() {
		return "INSERT INTO temp." + gathered + " " + st.text(), st.conditions.args, nil
	}
	groups := groupsOf(b.Aggregate, &st.conditions, "m")
	st.with = append(st.with, "m AS ("+st.rows()+")")
	return st.tables() + groups, st.conditions.args, nil
}

// sided reports whether rows need the sides of judgements.
func (b *Breakdown) sided() bool {
	good := query.Record(query.RecordGood)
	return slices.Contains(b.By, good) || slices.ContainsFunc(b.Filters, func(f query.Filter) bool { return f.Field == good }) ||
		slices.ContainsFunc(b.Figures, func(f query.Figure) bool { return f.Where != nil && f.Where.Field == good })
}

// Gathered returns the statement, and its arguments, for the groups of what was
// gathered, as an aggregate wants them that has the figures of that which it was gathered for,
// its fields to group by or none, and its steps or none.
func (b *Breakdown) Gathered(of *query.Aggregate) (string, []any) {
	c := &conditions{}
	groups := groupsOf(of, c, "temp."+gathered)
	return groups, c.args
}

// groupsOf returns the statement for the groups of rows.
func groupsOf(a *query.Aggregate, c *conditions, rows string) string {
	rest, step, from := restOf(a, c), "step", " FROM "+rows
	if a.Others {
		rest, from = "true", from+" WHERE "+rest
	}
	if a.Step == 0 {
		step = "0::BIGINT AS step"
	}
	what := []string{step, rest + " AS rest"}
	for i := range a.By {
		text := key(i)
		switch {
		case a.Others:
			text = "''"
		case a.Only != nil:
			text = "CASE WHEN " + rest + " THEN '' ELSE " + text + " END"
		}
		what = append(what, text+" AS g"+strconv.Itoa(i))
	}
	for i := range a.Figures {
		what = append(what, figure(a.Figures, i)+" AS f"+strconv.Itoa(i))
	}
	text := "SELECT " + strings.Join(what, ", ") + from + " GROUP BY ALL"
	if (len(a.By) == 0 || a.Others) && a.Step == 0 {
		text += " HAVING count(*) > 0"
	}
	if a.Limit > 0 {
		text += " LIMIT " + strconv.Itoa(a.Limit+1)
	}
	return text
}

// restOf returns the condition that a row is of no group that is wanted.
func restOf(a *query.Aggregate, c *conditions) string {
	if a.Only == nil {
		return "false"
	}
	var groups []string
	for _, keys := range a.Only {
		var same []string
		for i, text := range keys {
			if utf8.ValidString(text) { // as stored texts are
				same = append(same, key(i)+" = "+c.bind(text))
			} else {
				same = append(same, "false")
			}
		}
		groups = append(groups, "("+strings.Join(append(same, always), " AND ")+")")
	}
	return "NOT (" + strings.Join(append(groups, "false"), " OR ") + ")"
}

func key(i int) string    { return "k" + strconv.Itoa(i) }
func number(i int) string { return "n" + strconv.Itoa(i) }

// numberAt returns the first of the figures that measures the same as the one at i: one
// column of numbers is enough for all of these.
func numberAt(figures []query.Figure, i int) int {
	f := &figures[i]
	return slices.IndexFunc(figures[:i+1], func(g query.Figure) bool {
		return g.Of == f.Of && (g.Measure == query.CountSpans) == (f.Measure == query.CountSpans) && g.Where == f.Where
	})
}

// kindOf returns the type of what a figure measures.
func kindOf(f *query.Figure) string {
	if f.Of.Kind == query.FieldOutput || f.Of == query.Record(query.RecordCost) || f.Of == query.Record(query.RecordProbability) {
		return "DOUBLE"
	}
	return "BIGINT"
}

// figure returns the expression of the figure at i of a column. All quantiles of a column
// are one aggregate function of the engine, which sorts once.
func figure(figures []query.Figure, i int) string {
	f, at := &figures[i], numberAt(figures, i)
	column := number(at)
	switch f.Measure {
	case query.CountSpans:
		return "count(DISTINCT " + column + ")"
	case query.Sum:
		kind := "BIGINT"
		if f.IsReal() {
			kind = "DOUBLE"
		}
		return "coalesce(sum(" + column + "), 0)::" + kind
	case query.Quantile:
		var shares []string
		place := 0
		for j := range figures {
			if g := &figures[j]; g.Measure == query.Quantile && numberAt(figures, j) == at {
				shares = append(shares, fmt.Sprintf("%d.%02d", g.Percent/100, g.Percent%100))
				if j == i {
					place = len(shares)
				}
			}
		}
		if len(shares) == 1 { // which the engine finds without sorting
			return "quantile_disc(" + column + ", " + shares[0] + ")"
		}
		return "quantile_disc(" + column + ", [" + strings.Join(shares, ", ") + "])[" + strconv.Itoa(place) + "]"
	case query.Count, query.Min, query.Max:
	}
	return string(f.Measure) + "(" + column + ")"
}

// text returns the text of a field that rows are grouped by.
func (b *Breakdown) text(c *conditions, f query.Field) (string, error) {
	if f.Kind == query.FieldRecord {
		return recordColumn(b.Subject, f.Name), nil
	}
	o, err := c.operand(f, b.search.slug)
	if err != nil {
		return "", err
	}
	switch o := o.(type) {
	case columnOperand:
		return firstOf(string(o)), nil
	case textOperand:
		return "coalesce(" + firstOf(string(o)) + ", '')", nil
	case idOperand:
		return "coalesce(" + o.text() + ", '')", nil
	case originOperand:
		return firstOf(c.origin() + "." + string(o)), nil
	case attributeOperand:
		if !utf8.ValidString(o.key) { // as stored keys are
			return "''", nil
		}
		return "coalesce(" + firstOf(o.text(c)) + ", '')", nil
	}
	return "", fault.New(fault.Invalid, "%q cannot be grouped by", f.Name)
}

// measured returns the number that a figure measures, null where there is none.
func (b *Breakdown) measured(c *conditions, f *query.Figure) (string, error) {
	n := "1"
	switch field, found := span.FieldOf(f.Of.Name); {
	case f.Measure == query.CountSpans:
		n = "s.seq"
	case f.Of.Kind == query.FieldRecord:
		n = recordColumn(b.Subject, f.Of.Name)
	case f.Of.Kind == query.FieldOutput:
		n = "CASE WHEN j.kind IN ('i', 'f') THEN " + tables.SortedNumber(outputText, "f") + " END"
	case f.Of.Kind == "":
	case found && field.Nanos != nil:
		n = "s." + tables.ColumnOf(f.Of.Name)
	case found && field.Count != nil:
		n = "nullif(s." + tables.ColumnOf(f.Of.Name) + ", " + strconv.FormatInt(span.NoTokens, 10) + ")"
	}
	where, err := b.where(c, f)
	if where != always {
		n = "CASE WHEN " + where + " THEN " + n + " END"
	}
	return "(" + n + ")", err
}

// where returns the condition on what a figure measures.
func (b *Breakdown) where(c *conditions, f *query.Figure) (string, error) {
	switch {
	case f.Where == nil:
		return always, nil
	case f.Where.Field.Kind == query.FieldRecord:
		return recordCondition(b.Subject, c, f.Where), nil
	}
	condition, err := c.filter(*f.Where, b.search.slug)
	if condition == "" {
		condition = "false"
	}
	return condition, err
}
