// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Aggregate returns figures of groups: those of each partition, put together.
func (db *DB) Aggregate(ctx context.Context, env tenant.Environment, a query.Aggregate) ([]query.Group, error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	a.From = max(a.From, db.oldest(env))
	var groups *query.Groups
	err := db.look(ctx, "aggregate "+subjectName(a.Subject), env.ID, func(q *partitions.Querier, all []held) error {
		g := &aggregation{Aggregate: a, groups: query.NewGroups(&a)}
		groups = g.groups
		return g.do(ctx, q, all)
	})
	if err != nil {
		return nil, err
	}
	return groups.List(), nil
}

func subjectName(s query.Subject) string {
	if s == query.Spans {
		return "spans"
	}
	return string(s)
}

// aggregation is one call of Aggregate.
type aggregation struct {
	query.Aggregate
	groups *query.Groups
}

func (a *aggregation) do(ctx context.Context, q *partitions.Querier, all []held) error {
	all = slices.DeleteFunc(all, func(h held) bool {
		return h.Spans == 0 || h.Max < a.From || h.Min > a.To || !a.concerns(h)
	})
	if a.isLatest() {
		return a.latest(ctx, q, all)
	}
	for _, h := range all {
		if err := a.read(ctx, q, h, 0); err != nil {
			return err
		}
	}
	return nil
}

// concerns reports whether a partition can have what the filters let through.
func (a *aggregation) concerns(h held) bool {
	for i := range a.Filters {
		f := &a.Filters[i]
		switch {
		case f.Field.Name == query.RecordStatus && f.Operator == query.OpEquals && f.Value == string(eval.Deferred):
			if h.Owes() == 0 {
				return false
			}
		case f.Field.Name == query.RecordTime && (f.Operator == query.OpGreaterThan || f.Operator == query.OpGreaterThanOrEqual):
			if from, err := f.Whole(); err == nil && h.LastTime() < from {
				return false
			}
		}
	}
	return true
}

// isLatest reports whether nothing is asked for but the end of time.
func (a *aggregation) isLatest() bool {
	if len(a.By) > 0 || a.Step > 0 || len(a.Figures) != 1 || a.Figures[0].Measure != query.Max {
		return false
	}
	name := a.Figures[0].Of.Name
	return name == query.RecordStart || name == query.RecordTime
}

// latest looks where the latest can be, the likeliest place first. Of each place
// only the end is read first.
func (a *aggregation) latest(ctx context.Context, q *partitions.Querier, all []held) error {
	const near = time.Minute
	bound := func(h held) int64 { return h.Max }
	if a.Figures[0].Of.Name == query.RecordTime {
		bound = func(h held) int64 { return h.LastTime() }
	}
	last := make(map[*partitions.Partition]int64, len(all))
	for _, h := range all {
		last[h.Partition] = bound(h)
	}
	slices.SortFunc(all, func(x, y held) int { return cmp.Compare(last[y.Partition], last[x.Partition]) })
	found := int64(0)
	for _, h := range all {
		for _, behind := range []int64{max(found, partitions.After(last[h.Partition], -near)), found} {
			if last[h.Partition] <= found {
				return nil
			}
			if err := a.read(ctx, q, h, behind); err != nil {
				return err
			}
			for _, g := range a.groups.List() {
				found = g.Values[0].Whole
			}
			if found > behind {
				break
			}
		}
	}
	return nil
}

// read takes in what one partition has, of an aggregate that is the latest of
// something that which is later than behind.
func (a *aggregation) read(ctx context.Context, q *partitions.Querier, h held, behind int64) error {
	if err := q.In(ctx, h.Partition); err != nil {
		return err
	}
	text, args := a.statement(h, behind)
	texts := make([]string, len(a.By))
	group := query.Group{Values: make([]query.Value, len(a.Figures))}
	into := []any{&group.Time}
	for i := range texts {
		into = append(into, &texts[i])
	}
	for i := range a.Figures {
		if a.Figures[i].IsReal() {
			into = append(into, &group.Values[i].Real)
		} else {
			into = append(into, &group.Values[i].Whole)
		}
	}
	return q.Each(ctx, text, args, func(rows *sql.Rows) error {
		err := rows.Scan(into...)
		group.Keys = slices.Clone(texts)
		a.groups.Merge(group)
		return err
	})
}

// statement returns the query of one partition. Evaluations are grouped by their
// judgements first, which have what texts they have, unless that would count a
// span twice.
func (a *aggregation) statement(h held, behind int64) (string, []any) {
	c := &conditions{}
	where := []string{
		"s.env = " + strconv.Itoa(int(h.Code)),
		"s.start BETWEEN " + c.arg(a.From) + "::BIGINT AND " + c.arg(a.To) + "::BIGINT",
	}
	evaluations := a.Subject == query.Evaluations
	var judged []string
	for i := range a.Filters {
		f := &a.Filters[i]
		if condition := a.condition(c, f); f.Operator.Numeric() || !evaluations {
			where = append(where, condition)
		} else {
			judged = append(judged, condition)
		}
	}
	if a.isLatest() {
		where = append(where, recordColumn(a.Subject, a.Figures[0].Of.Name)+" > "+c.arg(behind)+"::BIGINT")
	}
	if len(judged) > 0 {
		where = append(where, "e.judgement IN (SELECT j.id FROM judgements j WHERE "+strings.Join(judged, " AND ")+")")
	}
	bucket := "0::BIGINT"
	if a.Step > 0 {
		step := strconv.FormatInt(int64(a.Step), 10)
		bucket = "s.start - ((s.start % " + step + ") + " + step + ") % " + step
	}
	from := " FROM spans s"
	if evaluations {
		from = " FROM evaluations e JOIN spans s ON s.seq = e.seq"
	}
	from += " WHERE " + strings.Join(where, " AND ")
	figures := make([]string, len(a.Figures))
	for i := range a.Figures {
		figures[i] = a.figure(&a.Figures[i]) + " AS f" + strconv.Itoa(i)
	}
	keys := make([]string, len(a.By))
	for i, f := range a.By {
		keys[i] = recordColumn(a.Subject, f.Name)
	}
	shown := strings.Join(figures, ", ")
	switch {
	case !evaluations || len(a.By) == 0:
		return "SELECT " + strings.Join(append(append([]string{bucket + " AS step"}, keys...), shown), ", ") + from +
			" GROUP BY ALL HAVING count(*) > 0", c.args
	case slices.ContainsFunc(a.Figures, func(f query.Figure) bool { return f.Measure == query.CountSpans }):
		from = strings.Replace(from, " WHERE ", " JOIN judgements j ON j.id = e.judgement WHERE ", 1)
		return "SELECT " + bucket + " AS step, " + strings.Join(keys, ", ") + ", " + shown + from + " GROUP BY ALL", c.args
	}
	return "SELECT g.step, " + strings.Join(keys, ", ") + ", g.* EXCLUDE (step, judgement) FROM (SELECT " + bucket + " AS step, e.judgement, " +
		shown + from + " GROUP BY ALL) g JOIN judgements j ON j.id = g.judgement", c.args
}

// figure returns the expression of a figure.
func (a *aggregation) figure(f *query.Figure) string {
	switch f.Measure {
	case query.Count:
		return "count(*)"
	case query.CountSpans:
		return "count(DISTINCT e.seq)"
	}
	column := recordColumn(a.Subject, f.Of.Name)
	kind := "BIGINT"
	if f.IsReal() {
		kind = "DOUBLE"
	}
	return "coalesce(" + string(f.Measure) + "(" + column + "), 0)::" + kind
}

// recordColumn returns where a field of records is.
func recordColumn(subject query.Subject, name string) string {
	if subject == query.Spans {
		return "s." + name
	}
	switch name {
	case query.RecordTime:
		return "e.ended"
	case query.RecordSetup, query.RecordEvaluator, query.RecordStatus, query.RecordReason, query.RecordBackend:
		return "j." + name
	}
	return "e." + name
}

// condition returns the condition of a filter, which is valid.
func (a *aggregation) condition(c *conditions, f *query.Filter) string {
	column := recordColumn(a.Subject, f.Field.Name)
	if f.Operator.Numeric() {
		bound, _ := f.Whole() // it was validated
		return column + comparison(f.Operator) + c.arg(bound) + "::BIGINT"
	}
	op, negated := f.Operator.Positive()
	values := f.Values
	if op == query.OpEquals {
		values = []string{f.Value}
	}
	condition := c.in(column, values)
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
