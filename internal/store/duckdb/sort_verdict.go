// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/query"
)

//go:embed sql/judges.sql
var judgesSQL string

// verdictColumn is what spans sort by that sort by a verdict, if verdicts are
// joined as v.
const verdictColumn = "coalesce(v.n, '-infinity'::DOUBLE)"

// judge is a judgement with one output that is asked for.
type judge struct {
	id       int32
	setup    string
	position int    // of the output in the list of values
	kind     string // letter of its type
}

// judges gives the judgements of the evaluator that came to an end, with the
// place of the output.
func (q querier) judges(ctx context.Context, slug, output string) ([]judge, error) {
	if !utf8.ValidString(slug) || !utf8.ValidString(output) {
		return nil, nil // stored texts are UTF-8
	}
	var list []judge
	err := q.each(ctx, judgesSQL, []any{slug, output}, func(rows *sql.Rows) error {
		var j judge
		err := rows.Scan(&j.id, &j.setup, &j.position, &j.kind)
		list = append(list, j)
		return err
	})
	return list, err
}

// verdicts gives the statement for what a sort by verdicts needs of the partition
// that q is in, "" in any other order.
func (s *search) verdicts(ctx context.Context, q querier) (string, error) {
	if s.query.Order.By != query.SortEvaluation {
		return "", nil
	}
	judges, err := q.judges(ctx, s.query.Order.Slug, s.query.Order.Output)
	return verdictStatement(judges), err
}

// verdictStatement selects rows of spans with the number of their verdict, null
// where it is none. Of several verdicts on one span the latest counts; one setup
// makes one at most.
func verdictStatement(judges []judge) string {
	if len(judges) == 0 {
		return "SELECT NULL::BIGINT AS seq, NULL::DOUBLE AS n"
	}
	from := " FROM evaluations e WHERE " + oneOf("e.judgement", judges)
	number := verdictNumber(judges)
	if !slices.ContainsFunc(judges, func(j judge) bool { return j.setup != judges[0].setup }) {
		return "SELECT e.seq AS seq, " + number + " AS n" + from
	}
	// One number says which was last: much cheaper than a pair. The function
	// passes over rows where there is no n.
	return "SELECT e.seq AS seq, arg_max(coalesce(" + number + ", '-infinity'::DOUBLE), " +
		"e.ended::HUGEINT * 4611686018427387904 + e.rowid) AS n" + from + " GROUP BY e.seq"
}

// verdictNumber gives the number that an evaluation sorts by, null where there
// is none.
func verdictNumber(judges []judge) string {
	type way struct {
		position int
		kind     string
	}
	var ways []way
	by := map[way][]judge{}
	for _, j := range judges {
		w := way{j.position, j.kind}
		if by[w] == nil {
			ways = append(ways, w)
		}
		by[w] = append(by[w], j)
	}
	var b strings.Builder
	for _, w := range ways[:len(ways)-1] {
		b.WriteString("CASE WHEN " + oneOf("e.judgement", by[w]) + " THEN " +
			sortedNumber("e.vals["+strconv.Itoa(w.position)+"]", w.kind) + " ELSE ")
	}
	last := ways[len(ways)-1]
	b.WriteString(sortedNumber("e.vals["+strconv.Itoa(last.position)+"]", last.kind))
	b.WriteString(strings.Repeat(" END", len(ways)-1))
	return b.String()
}

// sortedNumber gives the number that the text of an output of a kind sorts by, null
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
		"CASE WHEN regexp_full_match(" + text + ", " + quoted(numberPattern) + ") THEN " + finite + " END END"
}

// oneOf gives the condition that a column has one of the judgements.
func oneOf(column string, judges []judge) string {
	if len(judges) == 1 {
		return column + " = " + strconv.Itoa(int(judges[0].id))
	}
	ids := make([]int32, len(judges))
	for i, j := range judges {
		ids[i] = j.id
	}
	return column + " IN (" + numbers(ids) + ")"
}
