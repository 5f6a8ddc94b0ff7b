// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// SetupFigures is what became of the spans that one setup matched. Times are Unix
// nanoseconds, 0 where there is nothing.
type SetupFigures struct {
	// Steps are the steps of the period in which there is anything, in any order.
	Steps []SetupStep
	// Ended are the evaluations of the period, by their status.
	Ended map[eval.Status]SetupCount
	// Against are the spans of the period that an evaluation speaks against.
	Against int64
	// LastRun is when the last evaluation of the period ended that is done or failed.
	LastRun int64
	// Owed is what is deferred, whenever its spans started, and OwedSince when the
	// oldest of that was deferred.
	Owed      SetupCount
	OwedSince int64
	// Spent is what models took since a time, in US dollars.
	Spent float64
}

// SetupStep is one step of the period: the spans that started in it and have an
// evaluation, and what models took for these.
type SetupStep struct {
	Time, Spans int64
	Cost        float64
}

// SetupCount counts evaluations, and the spans that have one of them.
type SetupCount struct{ Evaluations, Spans int64 }

// statuses are those that evaluations are counted by.
var statuses = []eval.Status{eval.Done, eval.Uncertain, eval.Deferred, eval.Skipped, eval.Failed}

// ReadSetupFigures returns the figures of all setups that have any, by their ids: of
// spans that started between two times, inclusive, in steps, and of what models took
// as ReadSpent tells it.
func ReadSetupFigures(ctx context.Context, from Aggregator, env tenant.Environment, begin, end int64, step time.Duration, since time.Time) (map[string]*SetupFigures, error) {
	list := map[string]*SetupFigures{}
	of := func(setup string) *SetupFigures {
		f := list[setup]
		if f == nil {
			f = &SetupFigures{Ended: map[eval.Status]SetupCount{}}
			list[setup] = f
		}
		return f
	}
	setup := query.Record(query.RecordSetup)
	inPeriod := func(a query.Aggregate) query.Aggregate {
		a.From, a.To = begin, end
		return a
	}
	read := func(in tenant.Environment, a query.Aggregate, by []query.Field, add func(f *SetupFigures, g *query.Group), figures ...query.Figure) error {
		a.By, a.Figures = by, figures
		groups, err := from.Aggregate(ctx, in, a)
		for i := range groups {
			add(of(groups[i].Keys[0]), &groups[i])
		}
		return err
	}
	count, spans, cost := query.Figure{Measure: query.Count}, query.Figure{Measure: query.CountSpans}, query.Figure{Measure: query.Sum, Of: query.Record(query.RecordCost)}
	first, last := query.Figure{Measure: query.Min, Of: query.Record(query.RecordTime)}, query.Figure{Measure: query.Max, Of: query.Record(query.RecordTime)}

	// One pass tells all that is of the period.
	last.Where = &tried
	figures := []query.Figure{spans, cost, last}
	for _, status := range statuses {
		where := query.Equals(query.Record(query.RecordStatus), string(status))
		for _, f := range []query.Figure{count, spans} {
			f.Where = &where
			figures = append(figures, f)
		}
	}
	against, failing := spans, query.Equals(query.Record(query.RecordGood), "false")
	against.Where = &failing
	figures = append(figures, against)
	steps := inPeriod(everything(query.Evaluations))
	steps.Step = step
	err := read(env, steps, []query.Field{setup}, func(f *SetupFigures, g *query.Group) {
		f.Steps = append(f.Steps, SetupStep{Time: g.Time, Spans: g.Values[0].Whole, Cost: g.Values[1].Real})
		f.LastRun = max(f.LastRun, g.Values[2].Whole)
		f.Against += g.Values[len(g.Values)-1].Whole
		for i, status := range statuses {
			if n := g.Values[3+2*i:]; n[0].Whole > 0 {
				sum := f.Ended[status]
				f.Ended[status] = SetupCount{Evaluations: sum.Evaluations + n[0].Whole, Spans: sum.Spans + n[1].Whole}
			}
		}
	}, figures...)
	if err != nil {
		return nil, err
	}
	err = read(env, everything(query.Evaluations, isDeferred()), []query.Field{setup}, func(f *SetupFigures, g *query.Group) {
		f.Owed, f.OwedSince = SetupCount{Evaluations: g.Values[0].Whole, Spans: g.Values[1].Whole}, g.Values[2].Whole
	}, count, spans, first)
	if err != nil {
		return nil, err
	}
	spent, err := readSpent(ctx, from, env.ID, nil, []query.Field{setup}, since)
	for _, g := range spent {
		of(g.Keys[0]).Spent += g.Values[0].Real
	}
	return list, err
}
