// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/tokens"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// aggregation is one call of Aggregate.
type aggregation struct {
	search
	query.Aggregate
	groups []string // the expressions of what the keys of groups are, and of whether it is the rest
	firsts []string // arrays parallel to the evaluations, see first
}

// Aggregate implements store.Engine.
func (db *DB) Aggregate(ctx context.Context, env tenant.Environment, a query.Aggregate) ([]query.Group, error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	leave, err := db.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	a.From = max(a.From, db.oldest(env))
	if a.From > a.To {
		return []query.Group{}, nil
	}
	return a.Answer(func(a query.Aggregate) ([]query.Group, error) { return db.aggregate(ctx, env, a) })
}

// aggregate returns the groups of an aggregate without a rollup.
func (db *DB) aggregate(ctx context.Context, env tenant.Environment, a query.Aggregate) (_ []query.Group, err error) {
	g := &aggregation{search: search{db: db, env: env, source: db.sourceOf(env.ID, a.From, a.To)}, Aggregate: a}
	if a.Subject != query.Spans || a.General() {
		if g.source.beside, err = db.besideOf(ctx, env.ID); err != nil {
			return nil, err
		}
	}
	g.tokens = tokens.Having(a.Filters)
	columns, where := g.columns(), g.where()
	groups := query.NewGroups(&a)
	switch none, err := g.narrow(ctx, sqltext.Always, a.Filters, g.rare()...); {
	case err != nil:
		return nil, err
	case none:
		return groups.List(), nil
	}
	list, err := rows(ctx, db, "aggregate", columns, g.statement(names(columns), where))
	if err != nil {
		return nil, err
	}
	for _, x := range list {
		if x.Keys == nil {
			x.Keys = []string{}
		}
		groups.Merge(*x)
	}
	if a.Limit > 0 && groups.Len() > a.Limit {
		return nil, a.ErrGroups()
	}
	return groups.List(), nil
}

// rare returns statements like those of candidates, of spans with an evaluation that is
// deferred, skipped or failed, or costs something, where that is asked for: most have none, and
// to see that takes a fraction of the time of putting together their evaluations.
func (g *aggregation) rare() []string {
	if g.Subject != query.Evaluations {
		return nil
	}
	inRow, later := "", ""
	for _, f := range g.Filters {
		column := f.Field.Name
		status := column == query.RecordStatus && (f.Operator == query.OpEquals && f.Value != string(eval.Done) || f.Operator == query.OpIn && !slices.Contains(f.Values, string(eval.Done)))
		cost := column == query.RecordCost && f.Operator == query.OpGreaterThan
		if f.Field.Kind != query.FieldRecord || !status && !cost {
			continue
		}
		inRow += " AND arrayExists(e -> " + recordTest("e", f) + ", " + arrayPrefix + column + ")"
		later += " AND " + recordTest(column, f)
	}
	if inRow == "" {
		return nil
	}
	key := names(keyColumns[:4])
	from := "SELECT " + key + " FROM " + spansTable + " WHERE " + g.source.where + inRow
	if g.source.late {
		from += " UNION ALL SELECT " + key + " FROM " + lateTable + " WHERE " + g.source.lateWhere + later
	}
	return []string{"SELECT DISTINCT " + key + " FROM (" + from + ")"}
}

// record returns the expression of a field of a record.
func (g *aggregation) record(name string) string {
	if g.Subject == query.Evaluations {
		if name == query.RecordDuration {
			name = "took"
		}
		return g.source.told(name)
	}
	if name == query.RecordEnd {
		return "toInt64(least(toInt128(start) + toInt128(duration), toInt128(9223372036854775807)))"
	}
	return name
}

// columns are those of a group. Their names are expressions.
func (g *aggregation) columns() (list []column[query.Group]) {
	if g.Subject != query.Spans {
		g.source.withEvaluations()
	}
	step := "toInt64(0)"
	if g.Step > 0 {
		step = "start - positiveModulo(start, " + sqltext.Whole(int64(g.Step)) + ")"
	}
	list = append(list, field(step, "Int64", func(x *query.Group) *int64 { return &x.Time }))
	keys := make([]string, len(g.By))
	for i, f := range g.By {
		keys[i] = g.key(f)
	}
	rest := g.rest(keys)
	for _, key := range keys {
		if g.Only != nil {
			key = "if(" + rest + ", '', " + key + ")"
		}
		g.groups = append(g.groups, key)
		list = append(list, of(key, "String", func(*query.Group) string { return "" },
			func(x *query.Group, v string) { x.Keys = append(x.Keys, v) }))
	}
	g.groups = append(g.groups, rest)
	list = append(list, field("toBool("+rest+")", "Bool", func(x *query.Group) *bool { return &x.Rest }))
	for i := range g.Figures {
		list = append(list, g.figure(&g.Figures[i])...)
	}
	return list
}

// rest returns the condition that a row is of no group that is wanted.
func (g *aggregation) rest(keys []string) string {
	if g.Only == nil {
		return sqltext.Never
	}
	wanted := make([]string, len(g.Only))
	for i, only := range g.Only {
		all := make([]string, len(only))
		for j, key := range only {
			all[j] = "(" + keys[j] + " = " + sqltext.Literal(key) + ")"
		}
		wanted[i] = "(" + strings.Join(append(all, sqltext.Always), " AND ") + ")"
	}
	return "(NOT (" + strings.Join(append(wanted, sqltext.Never), " OR ") + "))"
}

// key returns the text that groups are made by.
func (g *aggregation) key(f query.Field) string {
	text := ""
	switch f.Kind {
	case query.FieldRecord:
		return "toString(" + g.record(f.Name) + ")"
	case query.FieldOutput:
		text = g.outputKey(f.Name)
	case query.FieldColumn, query.FieldAlias:
		text = columnNames[f.Name]
		if f == query.TraceField {
			text = "ifNull(" + idText("trace", len(span.TraceID{})) + ", '')"
		}
	case query.FieldSpanAttribute:
		text = "ifNull(" + entries(f.Name, "attributes") + ", '')"
	case query.FieldResourceAttribute:
		text = "ifNull(" + entries(f.Name, "resource") + ", '')"
	default:
		text = "ifNull(" + entries(f.Name, "attributes", "resource") + ", '')"
	}
	return "substringUTF8(toString(" + text + "), 1, " + strconv.Itoa(query.SortedText) + ")"
}

func (g *aggregation) outputKey(name string) string {
	switch name {
	case query.OutputName:
		return "output_name"
	case query.OutputText:
		return "if(output_kind = 's', output_text, '')"
	case query.OutputBool:
		return "if(output_kind = 'b', output_text, '')"
	case query.OutputMetricSource:
		return g.metricSource()
	}
	return g.source.evaluation(name)
}

// metricSource returns what query.Output.MetricSource does.
func (g *aggregation) metricSource() string {
	evaluator, text := g.source.evaluation("evaluator"), "multiIf("
	for _, source := range opinion.Sources() {
		prefix := sqltext.Literal(opinion.Prefix(source))
		text += "startsWith(" + evaluator + ", " + prefix + ") AND " + evaluator + " != " + prefix + ", " + sqltext.Literal(string(source)) + ", "
	}
	return text + g.source.evaluation("backend") + " = " + sqltext.Literal(string(eval.Judge)) + ", " + sqltext.Literal(query.SourceJudge) +
		", replaceAll(" + evaluator + ", '-', '_'))"
}

// number returns a number that figures measure, NULL where there is none.
func (g *aggregation) number(f query.Field) string {
	switch f.Kind {
	case query.FieldRecord:
		return "toNullable(" + g.record(f.Name) + ")"
	case query.FieldOutput:
		return "if(output_kind IN ('f', 'i'), " + numberOf("output_text") + ", NULL)"
	}
	if field, _ := span.FieldOf(f.Name); field.Count != nil {
		return "nullIf(" + columnNames[f.Name] + ", -1)"
	}
	return "toNullable(" + columnNames[f.Name] + ")"
}

// figure returns the columns of a figure: its value, and whether there was none.
func (g *aggregation) figure(f *query.Figure) []column[query.Group] {
	holds := sqltext.Always
	if f.Where != nil {
		holds = g.holds(*f.Where)
	}
	value := ""
	if f.Of != (query.Field{}) {
		value = g.number(f.Of)
		holds = "(" + holds + " AND isNotNull(" + value + "))"
		value = "assumeNotNull(" + value + ")"
	}
	function, none := "", "toBool(0)"
	switch f.Measure {
	case query.Count:
		function = "countIf(" + holds + ")"
	case query.CountSpans:
		function = "countIf(" + g.first(holds) + ")"
	case query.Quantile:
		function = "arraySort(groupArrayIf(" + value + ", " + holds + "))[intDiv(countIf(" + holds + ") * " + strconv.Itoa(f.Percent) + " + 99, 100)]"
		none = "countIf(" + holds + ") = 0"
	case query.Min, query.Max:
		none = "countIf(" + holds + ") = 0"
		fallthrough
	case query.Sum:
		if f.IsReal() {
			value = "toFloat64(" + value + ")"
		}
		function = string(f.Measure) + "If(" + value + ", " + holds + ")"
	}
	absent := of("toBool("+none+")", "Bool", func(*query.Group) bool { return false }, func(x *query.Group, v bool) {
		if v {
			x.Values[len(x.Values)-1] = query.Value{None: true}
		}
	})
	if f.IsReal() {
		return []column[query.Group]{of("toFloat64("+function+")", "Float64", func(*query.Group) float64 { return 0 },
			func(x *query.Group, v float64) { x.Values = append(x.Values, query.Value{Real: v}) }), absent}
	}
	return []column[query.Group]{of("toInt64("+function+")", "Int64", func(*query.Group) int64 { return 0 },
		func(x *query.Group, v int64) { x.Values = append(x.Values, query.Value{Whole: v}) }), absent}
}

// first returns whether an evaluation is, of those of its span for which a condition and all
// filters hold, the first in its group: a row is a whole span, so that spans are counted where
// they are read and none has to be remembered.
func (g *aggregation) first(holds string) string {
	of := []string{"arrayMap(e -> (" + holds + " AND " + g.where() + "), evs)"}
	for _, group := range g.groups {
		if group != sqltext.Never {
			of = append(of, "arrayMap(e -> "+group+", evs)")
		}
	}
	first := "arrayMap((held, n) -> held AND n = 1, " + of[0] + ", arrayEnumerateUniq(" + strings.Join(of, ", ") + "))"
	i := slices.Index(g.firsts, first)
	if i < 0 {
		i = len(g.firsts)
		g.firsts = append(g.firsts, first)
	}
	return "first_" + strconv.Itoa(i)
}

// eachEvaluation returns what follows FROM, for the evaluations one by one; the source knows by
// then all that is looked at.
func (g *aggregation) eachEvaluation() string {
	from, join := "(SELECT *", " ARRAY JOIN evs AS e"
	for i, first := range g.firsts {
		name := "first_" + strconv.Itoa(i)
		from += ", " + first + " AS " + name + "s"
		join += ", " + name + "s AS " + name
	}
	return from + " FROM " + g.source.from() + ")" + join
}

// where returns the condition of all filters.
func (g *aggregation) where() string {
	where := sqltext.Always
	for i := range g.Filters {
		where += " AND " + g.holds(g.Filters[i])
	}
	return where
}

// statement returns the query for expressions of what meets a condition.
func (g *aggregation) statement(exprs, where string) string {
	from := ""
	switch g.Subject {
	case query.Outputs:
		from = g.eachOutput()
	case query.Evaluations:
		from = g.eachEvaluation()
	default:
		from = g.source.from()
	}
	by := make([]string, 2+len(g.By)) // the time, the keys and whether it is the rest
	for i := range by {
		by[i] = strconv.Itoa(i + 1)
	}
	statement := "SELECT " + exprs + " FROM " + from + " WHERE " + where + " GROUP BY " + strings.Join(by, ", ")
	if g.Limit > 0 {
		statement += " LIMIT " + strconv.Itoa(g.Limit+1)
	}
	return statement
}

// holds returns what a filter, of a record or of a query, asks.
func (g *aggregation) holds(f query.Filter) string {
	if f.Field.Kind != query.FieldRecord {
		return g.condition(f)
	}
	return recordTest(g.record(f.Field.Name), f)
}

// recordTest returns what a filter on a field of a record asks of its expression.
func recordTest(expr string, f query.Filter) string {
	op, negated := f.Operator.Positive()
	f.Operator = op
	test := ""
	if op.Numeric() {
		n, _ := f.Whole() // it was validated
		test = "(" + expr + comparison(op) + sqltext.Whole(n) + ")"
	} else {
		test = compareText(expr, f)
	}
	if negated {
		return "(NOT " + test + ")"
	}
	return test
}
