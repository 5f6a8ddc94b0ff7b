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

// Gathers reports whether the statements of partitions gather rows for Gathered;
// else they return groups.
func (b *Breakdown) Gathers() bool {
	return slices.ContainsFunc(b.Figures, func(f query.Figure) bool { return f.Measure == query.Quantile })
}

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
		columns = append(columns, number(i)+" "+kindOf(&b.Figures[i]))
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
		n, err := b.measured(&c, &b.Figures[i])
		if err != nil {
			return "", nil, err
		}
		what = append(what, n+"::"+kindOf(&b.Figures[i])+" AS "+number(i))
	}
	for i := range b.Filters {
		if b.Filters[i].Field.Kind == query.FieldRecord {
			c.where = append(c.where, recordCondition(b.Subject, &c, &b.Filters[i]))
		}
	}
	if b.Subject == query.Evaluations {
		c.joins = append(c.joins, "JOIN evaluations e ON e.seq = s.seq", "JOIN judgements j ON j.id = e.judgement")
	}
	st := b.search.statement(strings.Join(what, ", "), bounds, c)
	if b.Gathers() {
		return "INSERT INTO temp." + gathered + " " + st.text(), st.args, nil
	}
	groups := b.groups(&st.conditions, "m")
	st.with = append(st.with, "m AS ("+st.rows()+")")
	return st.tables() + groups, st.args, nil
}

// Gathered returns the statement, and its arguments, for the groups of what was
// gathered.
func (b *Breakdown) Gathered() (string, []any) {
	c := &conditions{}
	groups := b.groups(c, "temp."+gathered)
	return groups, c.args
}

// groups returns the statement for the groups of rows.
func (b *Breakdown) groups(c *conditions, rows string) string {
	rest := b.rest(c)
	what := []string{"step", rest + " AS rest"}
	for i := range b.By {
		text := key(i)
		if b.Only != nil {
			text = "CASE WHEN " + rest + " THEN '' ELSE " + text + " END"
		}
		what = append(what, text+" AS g"+strconv.Itoa(i))
	}
	for i := range b.Figures {
		what = append(what, figure(&b.Figures[i], number(i))+" AS f"+strconv.Itoa(i))
	}
	text := "SELECT " + strings.Join(what, ", ") + " FROM " + rows + " GROUP BY ALL"
	if b.Limit > 0 {
		text += " LIMIT " + strconv.Itoa(b.Limit+1)
	}
	return text
}

// rest returns the condition that a row is of no group that is wanted.
func (b *Breakdown) rest(c *conditions) string {
	if b.Only == nil {
		return "false"
	}
	var groups []string
	for _, keys := range b.Only {
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

// kindOf returns the type of what a figure measures.
func kindOf(f *query.Figure) string {
	if f.Of.Kind == query.FieldOutput || f.Of == query.Record(query.RecordCost) {
		return "DOUBLE"
	}
	return "BIGINT"
}

// figure returns the expression of a figure of a column.
func figure(f *query.Figure, column string) string {
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
		return fmt.Sprintf("quantile_disc(%s, %d.%02d)", column, f.Percent/100, f.Percent%100)
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
