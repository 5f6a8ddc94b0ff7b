// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"context"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/spans"
	"github.com/touchstone-otel/touchstone/internal/anytime"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	// maxTraces is how many traces of all groups an interval is of at most.
	maxTraces = 20_000
	// intervalError is the error of intervals.
	intervalError = 0.05
)

// AggregationInterval is the share of failing results, with what is known of it.
type AggregationInterval struct {
	Value     *float64 `json:"value" doc:"The share of results that fail: each trace counts once, by the mean of its results. null: there are none." schema:"nullable"`
	Low       *float64 `json:"low" doc:"The lower end of the 95 % interval. It is valid however often one looks at a period that goes on." schema:"nullable"`
	High      *float64 `json:"high" doc:"The upper end." schema:"nullable"`
	Traces    int64    `json:"traces" doc:"How many traces have results."`
	Effective float64  `json:"effective_traces" doc:"How many traces of one weight would tell as much."`
	// Coverage and SettledUntil are of everything alone.
	Coverage     *float64 `json:"coverage,omitempty" doc:"The share of evaluations that are done, of those that are done, pending or failed."`
	SettledUntil string   `json:"settled_until,omitempty" doc:"No evaluation of spans that started before is pending." schema:"format=date-time"`
}

// intervalQuestion asks for the traces that a share is of, and how much of it is known.
type intervalQuestion struct {
	failing, sided query.Filter
	statuses       query.Aggregate
}

// newInterval returns what is asked for the intervals of a question.
func (a *AggregatesAPI) newInterval(ctx context.Context, env tenant.Environment, want *MetricAggregation, q *question) (*intervalQuestion, error) {
	custom, err := a.Evaluators.Custom(ctx, env.ID)
	if err != nil {
		return nil, err
	}
	var failing, all []query.Filter
	for _, e := range append(a.Evaluators.Prebuilt(), custom...) {
		for i := range e.Output {
			if good := e.Output[i].Good(); good != nil {
				failing = append(failing, outputAgainst(&sided{slug: e.Slug, name: e.Output[i].Name, good: good}))
				all = append(all, query.All(query.Equals(query.OfOutput(query.OutputEvaluator), e.Slug), query.Equals(query.OfOutput(query.OutputName), e.Output[i].Name)))
			}
		}
	}
	n := &intervalQuestion{failing: query.Any(failing...), sided: query.Any(all...)}
	n.statuses = query.Aggregate{Subject: query.Evaluations, From: q.From, To: q.To}
	if n.statuses.Filters, err = spans.ParseFilters(want.Filters.RawMessage, want.Line); err != nil {
		return nil, err
	}
	for name, text := range map[string]string{query.RecordEvaluator: want.Evaluator, query.RecordSetup: want.Setup} {
		if text != "" {
			n.statuses.Filters = append(n.statuses.Filters, query.Equals(query.Record(name), text))
		}
	}
	pending := query.Equals(query.Record(query.RecordStatus), string(eval.Deferred))
	done, failed := query.Equals(query.Record(query.RecordStatus), string(eval.Done)), query.Equals(query.Record(query.RecordStatus), string(eval.Failed))
	n.statuses.Figures = []query.Figure{
		{Measure: query.Count, Where: &done},
		{Measure: query.Count, Where: &pending},
		{Measure: query.Count, Where: &failed},
		{Measure: query.Min, Of: query.Column("timestamp"), Where: &pending},
	}
	return n, nil
}

// fill adds intervals to what is shown. Groups that are not shown are part of the total alone.
func (n *intervalQuestion) fill(ctx context.Context, from store.Aggregator, env tenant.Environment, q *question, shown *Aggregation) error {
	a := q.Aggregate
	a.Step, a.Rollup, a.Limit = 0, nil, maxTraces
	a.By = append(slices.Clone(q.By), query.TraceField)
	a.Filters = append(slices.Clone(q.Filters), n.sided)
	a.Figures = []query.Figure{{Measure: query.Count}, {Measure: query.Count, Where: &n.failing}}
	list, err := from.Aggregate(ctx, env, a)
	if err != nil {
		if fault.Message(err) == fault.Message(a.ErrGroups()) {
			err = fault.Wrap(fault.Invalid, err, "interval is known up to %d traces: ask for a shorter period, or filter", maxTraces)
		}
		return err
	}
	samples, traces := map[string]*anytime.Sample{}, map[string][2]float64{}
	for _, g := range list {
		key, trace := joined(g.Keys[:len(q.By)]), g.Keys[len(q.By)]
		if samples[key] == nil {
			samples[key] = &anytime.Sample{}
		}
		all, failing := float64(g.Values[0].Whole), float64(g.Values[1].Whole)
		samples[key].Add(failing/all, 1)
		sum := traces[trace] // which may be in several groups
		traces[trace] = [2]float64{sum[0] + all, sum[1] + failing}
	}
	var total anytime.Sample
	for _, sum := range traces {
		total.Add(sum[1]/sum[0], 1)
	}
	for i := range shown.Groups {
		if s := samples[joined(shown.Groups[i].Keys)]; s != nil {
			shown.Groups[i].Interval = intervalOf(s)
		} else {
			shown.Groups[i].Interval = intervalOf(&anytime.Sample{})
		}
	}
	shown.Interval = intervalOf(&total)
	return n.cover(ctx, from, env, shown.Interval)
}

// cover adds how much of everything is known.
func (n *intervalQuestion) cover(ctx context.Context, from store.Aggregator, env tenant.Environment, shown *AggregationInterval) error {
	list, err := from.Aggregate(ctx, env, n.statuses)
	if err != nil {
		return err
	}
	until := time.Unix(0, n.statuses.To)
	for _, g := range list { // one, or none
		if all := g.Values[0].Whole + g.Values[1].Whole + g.Values[2].Whole; all > 0 {
			share := float64(g.Values[0].Whole) / float64(all)
			shown.Coverage = &share
		}
		if first := g.Values[3]; !first.None {
			until = time.Unix(0, first.Whole)
		}
	}
	shown.SettledUntil = rest.Time(until)
	return nil
}

func intervalOf(s *anytime.Sample) *AggregationInterval {
	shown := &AggregationInterval{Traces: int64(s.Count), Effective: s.Effective()}
	if s.Count > 0 {
		low, high := s.Interval(intervalError)
		mean := s.Mean()
		shown.Value, shown.Low, shown.High = &mean, &low, &high
	}
	return shown
}
