// SPDX-License-Identifier: Apache-2.0

package store

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Aggregator is the part of an engine that figures are made of.
type Aggregator interface {
	Aggregate(ctx context.Context, env tenant.Environment, a query.Aggregate) ([]query.Group, error)
}

// Progress is how far the evaluations of an environment got. Times are Unix
// nanoseconds, 0 where there is nothing.
type Progress struct {
	LatestSpan       int64 // start of the span that started last
	LatestEvaluation int64 // when the last evaluation that is not deferred ended
	OldestOwed       int64 // when the oldest deferred evaluation was deferred
	OwedEvaluations  int64
	OwedSpans        int64
}

// ReadProgress returns how far the evaluations of an environment got.
func ReadProgress(ctx context.Context, from Aggregator, env tenant.Environment) (Progress, error) {
	var p Progress
	spans := everything(query.Spans)
	spans.Figures = []query.Figure{{Measure: query.Max, Of: query.Record(query.RecordStart)}}
	owed := everything(query.Evaluations, isDeferred())
	owed.Figures = []query.Figure{
		{Measure: query.Count}, {Measure: query.CountSpans}, {Measure: query.Min, Of: query.Record(query.RecordTime)},
	}
	for _, part := range []struct {
		of   query.Aggregate
		into []*int64
	}{{spans, []*int64{&p.LatestSpan}}, {owed, []*int64{&p.OwedEvaluations, &p.OwedSpans, &p.OldestOwed}}} {
		groups, err := from.Aggregate(ctx, env, part.of)
		if err != nil {
			return Progress{}, err
		}
		for _, g := range groups {
			for i, v := range g.Values {
				*part.into[i] = v.Whole
			}
		}
	}
	latest, err := LatestEvaluation(ctx, from, env)
	p.LatestEvaluation = latest
	return p, err
}

// LatestEvaluation returns when the last evaluation ended that is not deferred, 0
// if none has.
func LatestEvaluation(ctx context.Context, from Aggregator, env tenant.Environment) (int64, error) {
	ended := everything(query.Evaluations, isNotDeferred())
	ended.Figures = []query.Figure{{Measure: query.Max, Of: query.Record(query.RecordTime)}}
	groups, err := from.Aggregate(ctx, env, ended)
	if err != nil || len(groups) == 0 {
		return 0, err
	}
	return groups[0].Values[0].Whole, nil
}

// EvaluationCount counts evaluations of one setup.
type EvaluationCount struct {
	Evaluator string
	Status    eval.Status
	Reason    string // of skipped ones; "" otherwise
	Count     int64
	Last      int64  // the largest Time, Unix nanoseconds
	LastError string // the reason that goes with it, of failed and deferred ones
	Cost      float64
}

// ReadEvaluationCounts counts the evaluations of a setup, by evaluator, status and, of those
// that are skipped, reason; in that order.
func ReadEvaluationCounts(ctx context.Context, from Aggregator, env tenant.Environment, setup string) ([]EvaluationCount, error) {
	a := everything(query.Evaluations, isOf(setup))
	a.By = []query.Field{query.Record(query.RecordEvaluator), query.Record(query.RecordStatus), query.Record(query.RecordReason)}
	a.Figures = []query.Figure{
		{Measure: query.Count}, {Measure: query.Max, Of: query.Record(query.RecordTime)}, {Measure: query.Sum, Of: query.Record(query.RecordCost)},
	}
	groups, err := from.Aggregate(ctx, env, a)
	if err != nil {
		return nil, err
	}
	list := []EvaluationCount{}
	for _, g := range groups {
		t := EvaluationCount{Evaluator: g.Keys[0], Status: eval.Status(g.Keys[1]), Count: g.Values[0].Whole, Last: g.Values[1].Whole, Cost: g.Values[2].Real}
		switch t.Status {
		case eval.Skipped:
			t.Reason = g.Keys[2]
		case eval.Failed, eval.Deferred:
			t.LastError = g.Keys[2]
		case eval.Done, eval.Uncertain: // have none, or one of all
		}
		last := len(list) - 1 // groups come by evaluator, status and reason
		if last >= 0 && list[last].Evaluator == t.Evaluator && list[last].Status == t.Status && list[last].Reason == t.Reason {
			list[last].add(t)
			continue
		}
		list = append(list, t)
	}
	slices.SortStableFunc(list, func(a, b EvaluationCount) int {
		return cmp.Or(cmp.Compare(a.Evaluator, b.Evaluator), cmp.Compare(a.Status, b.Status), cmp.Compare(a.Reason, b.Reason))
	})
	return list, nil
}

// add takes in a count of the same kind. Of errors of one time, that which sorts
// last stands for all.
func (t *EvaluationCount) add(o EvaluationCount) {
	t.Count += o.Count
	t.Cost += o.Cost
	if cmp.Or(cmp.Compare(t.Last, o.Last), cmp.Compare(t.LastError, o.LastError)) < 0 {
		t.Last, t.LastError = o.Last, o.LastError
	}
}

// CountOwed returns how many evaluations of an environment are deferred.
func CountOwed(ctx context.Context, from Aggregator, env tenant.Environment) (int64, error) {
	a := everything(query.Evaluations, isDeferred())
	a.Figures = []query.Figure{{Measure: query.Count}}
	groups, err := from.Aggregate(ctx, env, a)
	if err != nil || len(groups) == 0 {
		return 0, err
	}
	return groups[0].Values[0].Whole, nil
}

// CountOwedBefore returns how many evaluations of an environment are deferred that were
// deferred first before a time, Unix nanoseconds; where there are more than most, which
// is at least 1, it returns most.
func CountOwedBefore(ctx context.Context, from Aggregator, env tenant.Environment, at, most int64) (int64, error) {
	a := everything(query.Evaluations, isDeferred(), query.Filter{
		Field: query.Record(query.RecordTime), Operator: query.OpLessThan, Value: strconv.FormatInt(at, 10),
	})
	a.Figures, a.Enough = []query.Figure{{Measure: query.Count}}, most
	groups, err := from.Aggregate(ctx, env, a)
	if err != nil || len(groups) == 0 {
		return 0, err
	}
	return min(groups[0].Values[0].Whole, most), nil
}

// Midnight returns when the day of t began in UTC: limits of dollars a day count
// from then.
func Midnight(t time.Time) time.Time {
	y, m, d := t.UTC().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// ReadSpent returns the sum, in US dollars, of what the evaluations of a setup, or
// with "" of all setups of an environment, took that ended at or after since, all
// their tries, and what the tries of those took that are deferred, whenever these
// were; also of spans past their retention, but not of those replaced or removed
// since.
func ReadSpent(ctx context.Context, from Aggregator, env tenant.EnvironmentID, setup string, since time.Time) (float64, error) {
	var of []query.Filter
	if setup != "" {
		of = append(of, isOf(setup))
	}
	groups, err := readSpent(ctx, from, env, of, nil, since)
	var sum float64
	for _, g := range groups {
		sum += g.Values[0].Real
	}
	return sum, err
}

// ReadSpentEach is ReadSpent of several setups at once. Setups that took nothing are
// not among them.
func ReadSpentEach(ctx context.Context, from Aggregator, env tenant.EnvironmentID, setups []string, since time.Time) (map[string]float64, error) {
	spent := make(map[string]float64, len(setups))
	if len(setups) == 0 {
		return spent, nil
	}
	setup := query.Record(query.RecordSetup)
	groups, err := readSpent(ctx, from, env, []query.Filter{{Field: setup, Operator: query.OpIn, Values: setups}}, []query.Field{setup}, since)
	for _, g := range groups {
		spent[g.Keys[0]] += g.Values[0].Real
	}
	return spent, err
}

// readSpent returns the costs of what ended since, and of what is deferred.
func readSpent(ctx context.Context, from Aggregator, env tenant.EnvironmentID, of []query.Filter, by []query.Field, since time.Time) ([]query.Group, error) {
	ended := query.Filter{
		Field: query.Record(query.RecordTime), Operator: query.OpGreaterThanOrEqual, Value: strconv.FormatInt(since.UnixNano(), 10),
	}
	// Most evaluations cost nothing, and an engine sees that of many at once.
	costs := query.Filter{Field: query.Record(query.RecordCost), Operator: query.OpGreaterThan, Value: "0"}
	var all []query.Group
	for _, filters := range [][]query.Filter{{isNotDeferred(), ended, costs}, {isDeferred(), costs}} {
		a := everything(query.Evaluations, append(filters, of...)...)
		a.By, a.Figures = by, []query.Figure{{Measure: query.Sum, Of: query.Record(query.RecordCost)}}
		groups, err := from.Aggregate(ctx, tenant.Environment{ID: env, Retention: math.MaxInt64}, a)
		if err != nil {
			return nil, err
		}
		all = append(all, groups...)
	}
	return all, nil
}

func everything(of query.Subject, filters ...query.Filter) query.Aggregate {
	return query.Aggregate{Subject: of, From: math.MinInt64, To: math.MaxInt64, Filters: filters}
}

func isOf(setup string) query.Filter {
	return query.Equals(query.Record(query.RecordSetup), setup)
}

func isDeferred() query.Filter {
	return query.Equals(query.Record(query.RecordStatus), string(eval.Deferred))
}

func isNotDeferred() query.Filter {
	return query.Filter{Field: query.Record(query.RecordStatus), Operator: query.OpNotEquals, Value: string(eval.Deferred)}
}

// Price is how many evaluations of an evaluator ended, and what all of them cost, in
// US dollars.
type Price struct {
	Evaluator string
	Ended     int64
	Cost      float64
}

// tried finds the evaluations whose evaluator was asked.
var tried = query.Filter{Field: query.Record(query.RecordStatus), Operator: query.OpIn, Values: []string{string(eval.Done), string(eval.Uncertain), string(eval.Failed)}}

// ReadPrices returns what the evaluations of a setup that ended cost, by evaluator.
func ReadPrices(ctx context.Context, from Aggregator, env tenant.EnvironmentID, setup string) ([]Price, error) {
	a := everything(query.Evaluations, isOf(setup), tried)
	a.By = []query.Field{query.Record(query.RecordEvaluator)}
	a.Figures = []query.Figure{{Measure: query.Count}, {Measure: query.Sum, Of: query.Record(query.RecordCost)}}
	groups, err := from.Aggregate(ctx, tenant.Environment{ID: env, Retention: math.MaxInt64}, a)
	list := make([]Price, len(groups))
	for i, g := range groups {
		list[i] = Price{Evaluator: g.Keys[0], Ended: g.Values[0].Whole, Cost: g.Values[1].Real}
	}
	return list, err
}
