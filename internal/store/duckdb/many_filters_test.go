// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
)

// Hundreds of conditions on verdicts are looked up at once: as many joins took the engine
// longer to plan than anybody waits, or all of its memory, and without end the test does not
// end. Partitions that are closed have an index of verdicts, the others have none.
func TestHundredsOfConditionsOnVerdicts(t *testing.T) {
	t.Parallel()
	db := open(t, Config{Dir: t.TempDir(), PartitionRows: 500})
	env := testEnv("prd", 100*time.Hour)
	const spans, conditions = 2600, 200
	var stored []store.Record
	var shown []span.Span // as the API shows them: with their verdicts
	for i := range spans {
		x := numbered(env, i+1, time.Now())
		as := x.Span
		if i%10 > 0 { // others were not judged
			text := []string{"seven", "7", "8.5 ", "1e3"}[i%4]
			as.Attributes = as.Attributes.With("evaluation.e.n", strconv.Itoa(i%400)).With("evaluation.e.s", text)
			x.Evaluations = []eval.Evaluation{{SetupID: "s", Evaluator: "e", Status: eval.Done, Time: 1, Outputs: []eval.Output{
				{Name: "n", Value: int64(i % 400)}, {Name: "s", Value: text},
			}}}
		}
		stored, shown = append(stored, x), append(shown, as)
		if len(stored)%400 == 0 || i == spans-1 {
			require.NoError(t, storetest.Write(t.Context(), db, stored[len(stored)-(len(stored)-1)%400-1:]))
		}
	}
	db.awaitIndexes()
	number := query.Field{Kind: query.FieldEvaluation, Name: "e", Output: "n"}
	text := query.Field{Kind: query.FieldEvaluation, Name: "e", Output: "s"}
	many := func(f func(i int) query.Filter) (list []query.Filter) {
		for i := range conditions {
			list = append(list, f(i))
		}
		return list
	}
	number1 := func(op query.Operator, n int) query.Filter {
		return query.Filter{Field: number, Operator: op, Number: float64(n), Value: strconv.Itoa(n)}
	}
	for name, f := range map[string]query.Filter{
		"above":   query.All(many(func(i int) query.Filter { return number1(query.OpGreaterThan, i) })...),
		"is none": query.All(many(func(i int) query.Filter { return number1(query.OpNotEquals, i) })...),
		"is one":  {Operator: query.OpAny, Filters: many(func(i int) query.Filter { return number1(query.OpEquals, i) })},
		"below or none": {Operator: query.OpAny, Filters: many(func(i int) query.Filter {
			return number1([]query.Operator{query.OpLessThan, query.OpNotEquals}[i%2], i/2)
		})},
		"contains": query.All(many(func(i int) query.Filter {
			return query.Filter{Field: number, Operator: query.OpContains, Value: strconv.Itoa(1 + i%2)}
		})...),
		"of texts": query.All(many(func(i int) query.Filter {
			f := number1([]query.Operator{query.OpGreaterThan, query.OpNotEquals, query.OpGreaterThan}[i%3], i/40)
			f.Field = []query.Field{text, number}[i%2]
			return f
		})...),
		"not in UTF-8": query.All(number1(query.OpGreaterThan, 1), query.Filter{Field: number, Operator: query.OpContains, Value: "\xff"}),
		"or not in UTF-8": {Operator: query.OpAny, Filters: []query.Filter{
			number1(query.OpGreaterThan, 390), {Field: number, Operator: query.OpContains, Value: "\xff"},
		}},
		"is there, too": query.All(query.Filter{Field: number, Operator: query.OpExists}, number1(query.OpLessThan, 10), number1(query.OpNotEquals, 3)),
	} {
		want := 0
		for i := range shown {
			if f.Match(&shown[i], nil) {
				want++
			}
		}
		q := query.Query{To: 1<<63 - 1, Limit: 50, Total: true, Order: query.Order{By: query.SortTimestamp}, Filters: []query.Filter{f}}
		if f.Operator == query.OpAll {
			q.Filters = f.Filters
		}
		page, err := db.Search(t.Context(), env, q)
		require.NoError(t, err, name)
		require.EqualValues(t, want, page.Total, name)
		require.Len(t, page.Spans, min(want, q.Limit), name)
	}
}
