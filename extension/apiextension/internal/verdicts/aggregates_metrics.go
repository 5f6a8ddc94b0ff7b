// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"context"
	"maps"
	"strconv"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// MetricAggregation asks for figures of one output of one evaluator.
type MetricAggregation struct {
	SpanAggregation
	Evaluator string    `json:"evaluator" doc:"The evaluator whose outputs are meant; left out: all." schema:"maxLength=4096"`
	Output    string    `json:"output" doc:"The output that is meant; left out: all." schema:"maxLength=4096"`
	Setup     string    `json:"setup_id" doc:"The setup that is meant; left out: all." schema:"maxLength=4096"`
	Interval  bool      `json:"interval" doc:"Whether the share of failing results of everything and of each group is wanted with its 95 % interval. Each trace counts once, by the mean of its results; more than 20,000 traces are refused."`
	Bins      *rest.Int `json:"bins" doc:"In how many bins of one width the numbers are to be counted. Left out: none." schema:"minimum=1 maximum=50"`
}

// ofOutput are fields to group by that are not of the span.
var ofOutput = map[string]query.Field{
	"evaluator": query.OfOutput(query.OutputEvaluator), "output": query.OfOutput(query.OutputName),
	"setup_id": query.OfOutput(query.OutputSetup), "backend": query.OfOutput(query.OutputBackend), "value": query.OfOutput(query.OutputText),
	"metric_source": query.OfOutput(query.OutputMetricSource),
}

// outputMeasures are the measures of outputs.
var outputMeasures = func() map[string]measure {
	isTrue, isBool := query.Equals(query.OfOutput(query.OutputBool), "true"), query.Filter{Field: query.OfOutput(query.OutputBool), Operator: query.OpExists}
	known := map[string]measure{
		"count":      plain(query.Figure{Measure: query.Count}),
		"true":       plain(query.Figure{Measure: query.Count, Where: &isTrue}),
		"share_true": ratio(query.Figure{Measure: query.Count, Where: &isTrue}, query.Figure{Measure: query.Count, Where: &isBool}),
	}
	named(known, "", query.OfOutput(query.OutputNumber))
	return known
}()

// ofMetrics returns what is asked of the verdicts of an output, or of all where none
// is named.
func (a *AggregatesAPI) ofMetrics(ctx context.Context, env tenant.Environment, want *MetricAggregation) (*question, error) {
	known := maps.Clone(outputMeasures)
	if err := a.addAgainst(ctx, env, &want.SpanAggregation, known, outputAgainst); err != nil {
		return nil, err
	}
	q, err := want.question(a.Now(), query.Outputs, known, ofOutput)
	if err != nil {
		return nil, err
	}
	for name, text := range map[string]string{query.OutputEvaluator: want.Evaluator, query.OutputName: want.Output, query.OutputSetup: want.Setup} {
		if text != "" {
			q.Filters = append(q.Filters, query.Equals(query.OfOutput(name), text))
		}
	}
	if want.Interval {
		if q.interval, err = a.newInterval(ctx, env, want, q); err != nil {
			return nil, err
		}
	}
	if want.Bins != nil {
		q.bins = int(*want.Bins)
	}
	return q, nil
}

// outputAgainst returns the condition that an output is one that has sides, with a value
// that speaks against its span.
func outputAgainst(s *sided) query.Filter {
	value := query.OfOutput(query.OutputText)
	if _, is := s.good.(bool); is {
		value = query.OfOutput(query.OutputBool)
	}
	return query.All(query.Equals(query.OfOutput(query.OutputEvaluator), s.slug), query.Equals(query.OfOutput(query.OutputName), s.name), s.against(value))
}

// spread counts numbers in bins of one width, of which the last has the largest.
func (q *question) spread(ask query.Ask) ([]AggregationBin, error) {
	number := query.OfOutput(query.OutputNumber)
	bounds := query.Aggregate{Subject: q.Subject, From: q.From, To: q.To, Filters: q.Filters, Figures: []query.Figure{
		{Measure: query.Min, Of: number}, {Measure: query.Max, Of: number},
	}}
	got, err := ask(bounds)
	if err != nil || len(got) == 0 || got[0].Values[0].None {
		return []AggregationBin{}, err
	}
	least, most := got[0].Values[0].Real, got[0].Values[1].Real
	list := binsOf(least, most, q.bins)
	counts := bounds
	counts.Figures = nil
	for i := range list {
		above := query.OpLessThan
		if i == len(list)-1 {
			above = query.OpLessThanOrEqual
		}
		within := query.All(compared(number, query.OpGreaterThanOrEqual, list[i].From), compared(number, above, list[i].To))
		counts.Figures = append(counts.Figures, query.Figure{Measure: query.Count, Where: &within})
	}
	if got, err = ask(counts); err != nil || len(got) == 0 {
		return []AggregationBin{}, err
	}
	for i := range list {
		list[i].Count = got[0].Values[i].Whole
	}
	return list, nil
}

// AggregationBin counts the numbers from From on that are below To.
type AggregationBin struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Count int64   `json:"count"`
}

// binsOf parts the numbers between two into bins of one width.
func binsOf(least, most float64, n int) []AggregationBin {
	if least == most {
		return []AggregationBin{{From: least, To: most}}
	}
	edge := func(i int) float64 { // no difference, which might be too large
		return least*(float64(n-i)/float64(n)) + most*(float64(i)/float64(n))
	}
	list := make([]AggregationBin, n)
	for i := range list {
		list[i] = AggregationBin{From: edge(i), To: edge(i + 1)}
	}
	list[0].From, list[n-1].To = least, most
	return list
}

func compared(f query.Field, op query.Operator, n float64) query.Filter {
	return query.Filter{Field: f, Operator: op, Value: strconv.FormatFloat(n, 'g', -1, 64), Number: n}
}

// AmendSchema names its groups and measures, and how many groups it may answer.
func (MetricAggregation) AmendSchema(schema map[string]any) {
	amend(schema, "As for spans; or evaluator, output, setup_id, backend, metric_source as points have it, or value: the text that an output is.",
		"count", "true", "share_true", "against", "avg", "sum", "min", "max", "p50", "p90", "p95", "p99")
}

// amend sets what the request does not share with that for spans.
func amend(schema map[string]any, by string, measures ...string) {
	property := func(name string) map[string]any { return schema["properties"].(map[string]any)[name].(map[string]any) }
	property("group_by")["description"] = by
	property("measures")["items"].(map[string]any)["enum"] = measures
	property("top")["maximum"] = 1000
}
