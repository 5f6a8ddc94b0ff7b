// SPDX-License-Identifier: Apache-2.0

package statements

import (
	"context"
	"database/sql"
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
)

//go:embed sql/judges.sql
var judgesSQL string

// verdictColumn is what spans sort by that sort by a verdict, if verdicts are
// joined as v.
const verdictColumn = "coalesce(v.verdict, '-infinity'::DOUBLE)"

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
	err := q.Each(ctx, judgesSQL, []any{slug, output}, func(rows *sql.Rows) error {
		var j judge
		err := rows.Scan(&j.id, &j.setup, &j.position, &j.kind)
		list = append(list, j)
		return err
	})
	return list, err
}

// verdicts returns the statement for what a sort by verdicts needs of the partition
// that q is in, "" in any other order.
func (s *Search) verdicts(ctx context.Context, q *partitions.Querier) (string, error) {
	if s.query.Order.By != query.SortEvaluation {
		return "", nil
	}
	judges, err := judgesIn(ctx, q, s.query.Order.Slug, s.query.Order.Output)
	if len(judges) == 0 {
		return "SELECT NULL::BIGINT AS seq, NULL::DOUBLE AS verdict", err
	}
	return verdictRows(judges, func(text, kind string) string {
		return "coalesce(" + sortedNumber(text, kind) + ", '-infinity'::DOUBLE)"
	}), err
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
	if !utf8.ValidString(o.Name) || !utf8.ValidString(o.Output) {
		return ""
	}
	field := query.Field(o)
	judges, known := c.judges[field]
	switch {
	case !known && !slices.Contains(c.asked, field):
		c.asked = append(c.asked, field)
	case known && len(judges) == 0:
		return ""
	case known && f.Operator == query.OpExists: // whichever is the latest
		return "s.seq IN (SELECT e.seq FROM evaluations e WHERE " + oneOf("e.judgement", judges) + ")"
	}
	condition := c.compareText("verdict", f)
	if condition == "" || !known {
		return condition
	}
	return "s.seq IN (SELECT seq FROM (" + verdictRows(judges, func(text, _ string) string { return text }) + ") WHERE " + condition + ")"
}

// conditionsIn returns what rows of the partition that q is in must satisfy. Who
// made a verdict has a number there that is looked up first: it is what makes
// filters on verdicts cheap.
func (s *Search) conditionsIn(ctx context.Context, q *partitions.Querier) (conditions, error) {
	if len(s.conditions.asked) == 0 {
		return s.conditions.clone(), nil
	}
	c := conditions{stored: s.conditions.stored, judges: map[query.Field][]judge{}}
	for _, f := range s.conditions.asked {
		judges, err := judgesIn(ctx, q, f.Name, f.Output)
		if err != nil {
			return c, err
		}
		c.judges[f] = judges
	}
	condition, err := c.filter(query.All(s.query.Filters...), s.slug)
	c.must(condition)
	return c, err
}

// sortedNumber returns the number that the text of an output of a kind sorts by, null
// where there is none.
func sortedNumber(text, kind string) string {
	number := "TRY_CAST(" + text + " AS DOUBLE)"
	finite := "CASE WHEN isfinite(" + number + ") THEN " + number + " END"
	switch kind {
	case "i":
		return number
	case "f":
		return finite
	case "b":
		return "CASE " + text + " WHEN 'true' THEN 1::DOUBLE WHEN 'false' THEN 0::DOUBLE END"
	}
	// The engine also takes for numbers what is none.
	return "CASE " + text + " WHEN 'true' THEN 1::DOUBLE WHEN 'false' THEN 0::DOUBLE ELSE " +
		"CASE WHEN regexp_full_match(" + text + ", " + sqltext.Quoted(numberPattern) + ") THEN " + finite + " END END"
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
