// SPDX-License-Identifier: Apache-2.0

package alerts

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/spans"
	"github.com/touchstone-otel/touchstone/internal/alert"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	// maxTraces is how many traces of all groups and minutes one question tells apart. Where
	// there are more, a minute of a group counts as one trace.
	maxTraces = 20_000
	// pendingSince is how old pending evaluations are looked for.
	pendingSince = 7 * 24 * time.Hour
	// maxPending is how many minutes a minute waits for its pending evaluations.
	maxPending = 15
)

// ofEvaluation and ofOutput are fields to group by that are not of the span.
var (
	ofEvaluation = map[string]query.Field{
		"evaluator": query.Record(query.RecordEvaluator), "setup_id": query.Record(query.RecordSetup), "backend": query.Record(query.RecordBackend),
	}
	ofOutput = map[string]query.Field{
		"evaluator": query.OfOutput(query.OutputEvaluator), "setup_id": query.OfOutput(query.OutputSetup), "backend": query.OfOutput(query.OutputBackend),
	}
)

func count(where query.Filter) query.Figure {
	return query.Figure{Measure: query.Count, Where: &where}
}

func sum(of query.Field, where *query.Filter) query.Figure {
	return query.Figure{Measure: query.Sum, Of: of, Where: where}
}

// question is what the store is asked for a rule, and how its answer is read.
type question struct {
	query.Aggregate
	byTrace bool
	// read adds the figures of a group to a minute; nil where these are of no minute.
	read func(m *alert.Minute, v []query.Value)
	// statuses asks how many evaluations there are, of all groups together, where the question
	// itself does not; nil where it does.
	statuses *question
}

// newQuestion returns what is asked for a rule. Its errors are Invalid.
func newQuestion(r *alert.Rule) (*question, error) {
	q := &question{byTrace: r.Metric.IsMean()}
	q.Step = time.Minute
	own := map[string]query.Field{}
	switch {
	case r.Metric == alert.MeanScore:
		q.Subject, own = query.Outputs, ofOutput
	case r.Metric.OfEvaluations():
		q.Subject, own = query.Evaluations, ofEvaluation
	default:
		q.Subject = query.Spans
	}
	var err error
	if q.Filters, err = spans.ParseFilters(r.Filters, r.Line); err != nil {
		return nil, err
	}
	for i, id := range r.By {
		f, found := own[id]
		if !found {
			if f, err = query.ParseField(id); err != nil {
				return nil, fault.New(fault.Invalid, "group_by[%d] %s", i, fault.Message(err))
			}
		}
		q.By = append(q.By, f)
	}
	probe := query.Aggregate{Subject: q.Subject, By: q.By, Figures: []query.Figure{{Measure: query.Count}}}
	if probe.Validate() != nil {
		return nil, fault.New(fault.Invalid, "group_by must have fields that are texts, or attributes")
	}
	if q.byTrace {
		q.By = append(slices.Clone(q.By), query.TraceField)
	}
	q.measure(r)
	if r.Metric == alert.MeanScore {
		all := *r
		all.Metric, all.By = alert.Results, nil
		if q.statuses, err = newQuestion(&all); err != nil {
			return nil, err
		}
	}
	return q, q.Validate()
}

// measure adds the figures of a metric.
func (q *question) measure(r *alert.Rule) {
	narrow := func(f query.Field, text string) {
		if text != "" {
			q.Filters = append(q.Filters, query.Equals(f, text))
		}
	}
	status := query.Record(query.RecordStatus)
	switch r.Metric {
	case alert.FailingShare:
		narrow(query.Record(query.RecordEvaluator), r.Evaluator)
		narrow(query.Record(query.RecordSetup), r.Setup)
		q.Filters = append(q.Filters, query.Filter{Field: status, Operator: query.OpNotEquals, Value: string(eval.Skipped)})
		good := query.Record(query.RecordGood)
		sided := query.Filter{Field: good, Operator: query.OpIn, Values: []string{"true", "false"}}
		q.Figures = []query.Figure{
			count(sided), count(query.Equals(good, "false")), sum(query.Record(query.RecordProbability), &sided),
			count(query.Equals(status, string(eval.Done))), count(query.Equals(status, string(eval.Deferred))), count(query.Equals(status, string(eval.Failed))),
		}
		q.read = func(m *alert.Minute, v []query.Value) {
			m.Done, m.Pending, m.Failed = v[3].Whole, v[4].Whole, v[5].Whole
			addMean(m, float64(v[0].Whole), float64(v[1].Whole), v[2].Real)
		}
	case alert.MeanScore:
		narrow(query.OfOutput(query.OutputEvaluator), r.Evaluator)
		narrow(query.OfOutput(query.OutputName), r.Output)
		narrow(query.OfOutput(query.OutputSetup), r.Setup)
		number := query.OfOutput(query.OutputNumber)
		q.Figures = []query.Figure{{Measure: query.Count, Of: number}, sum(number, nil)}
		low, width := r.ScoreMin, r.ScoreMax-r.ScoreMin
		q.read = func(m *alert.Minute, v []query.Value) {
			n := float64(v[0].Whole)
			addMean(m, n, (v[1].Real-n*low)/width, 0)
		}
	case alert.ErrorRate:
		q.Figures = []query.Figure{{Measure: query.Count}, count(query.Equals(query.Column("status_code"), span.StatusError))}
		q.read = readShare
	case alert.DurationP95:
		bound := *r.Condition.Above
		slow := query.Filter{Field: query.Column("duration"), Operator: query.OpGreaterThan, Value: strconv.FormatFloat(bound, 'f', -1, 64), Number: bound}
		q.Figures = []query.Figure{{Measure: query.Count}, count(slow)}
		q.read = readShare
	case alert.Cost:
		own := query.OwnUsage()
		q.Figures = []query.Figure{sum(query.Column("cost"), &own)}
		q.read = func(m *alert.Minute, v []query.Value) { m.Sum = v[0].Real / span.PerDollar }
	case alert.Tokens:
		own := query.OwnUsage()
		q.Figures = []query.Figure{sum(query.Field{Kind: query.FieldAlias, Name: span.AliasTotalTokens}, &own)}
		q.read = func(m *alert.Minute, v []query.Value) { m.Sum = v[0].Real }
	case alert.Spans:
		q.Figures = []query.Figure{{Measure: query.Count}}
		q.read = func(m *alert.Minute, v []query.Value) { m.Sum = float64(v[0].Whole) }
	case alert.Results:
		narrow(query.Record(query.RecordEvaluator), r.Evaluator)
		narrow(query.Record(query.RecordSetup), r.Setup)
		q.Figures = []query.Figure{
			count(query.Equals(status, string(eval.Done))), count(query.Equals(status, string(eval.Deferred))), count(query.Equals(status, string(eval.Failed))),
		}
		q.read = func(m *alert.Minute, v []query.Value) {
			m.Sum, m.Done, m.Pending, m.Failed = float64(v[0].Whole), v[0].Whole, v[1].Whole, v[2].Whole
		}
	case alert.Delay:
		narrow(query.Record(query.RecordEvaluator), r.Evaluator)
		narrow(query.Record(query.RecordSetup), r.Setup)
		q.Step = 0
		q.Filters = append(q.Filters, query.Equals(status, string(eval.Deferred)))
		q.Figures = []query.Figure{{Measure: query.Min, Of: query.Record(query.RecordTime)}}
	}
}

func readShare(m *alert.Minute, v []query.Value) {
	addMean(m, float64(v[0].Whole), float64(v[1].Whole), 0)
}

// addMean adds the value of a trace that has n values of a sum, and the sum of their
// probabilities, 0 where that is unknown.
func addMean(m *alert.Minute, n, sum, probabilities float64) {
	if n == 0 {
		return
	}
	v := alert.Value{Value: sum / n, Weight: 1}
	if p := probabilities / n; p > 0 && p < 1 {
		v.Weight = 1 / p
	}
	m.Values = append(m.Values, v)
}

// ask returns what there is of the minutes from one on and before another.
func (q *question) ask(ctx context.Context, records store.Aggregator, env tenant.Environment, from, before int64, now time.Time) ([]alert.Minute, error) {
	if q.read == nil {
		return q.askDelay(ctx, records, env, before, now)
	}
	a := q.Aggregate
	a.From, a.To = from*int64(time.Minute), before*int64(time.Minute)-1
	if !q.byTrace {
		groups, err := records.Aggregate(ctx, env, a)
		return q.minutes(groups, len(a.By)), err
	}
	a.Limit = maxTraces
	groups, err := records.Aggregate(ctx, env, a)
	if err != nil && fault.Message(err) == fault.Message(a.ErrGroups()) {
		a.By, a.Limit = a.By[:len(a.By)-1], 0
		groups, err = records.Aggregate(ctx, env, a)
	}
	if err != nil {
		return nil, err
	}
	list := q.minutes(groups, len(q.By)-1)
	if q.statuses != nil {
		all, err := q.statuses.ask(ctx, records, env, from, before, now)
		return withStatuses(list, all), err
	}
	return list, nil
}

// withStatuses returns minutes of groups with how many evaluations there are in all groups
// together. Those of a minute without a group have one without values.
func withStatuses(list, all []alert.Minute) []alert.Minute {
	for _, m := range all {
		found := false
		for i := range list {
			if one := &list[i]; one.At == m.At {
				one.Done, one.Pending, one.Failed, found = m.Done, m.Pending, m.Failed, true
			}
		}
		if !found {
			list = append(list, alert.Minute{At: m.At, Pending: m.Pending})
		}
	}
	return list
}

// minutes returns groups of traces as minutes of groups of so many keys.
func (q *question) minutes(groups []query.Group, keys int) (list []alert.Minute) {
	for i := range groups {
		g := &groups[i]
		one := alert.Minute{At: g.Time / int64(time.Minute), Keys: slices.Clone(g.Keys[:keys])}
		q.read(&one, g.Values)
		// Groups come by time and keys: those of one group and minute follow one another.
		if n := len(list) - 1; n >= 0 && list[n].At == one.At && slices.Equal(list[n].Keys, one.Keys) {
			last := &list[n]
			last.Values = append(last.Values, one.Values...)
			last.Sum, last.Done, last.Pending, last.Failed = last.Sum+one.Sum, last.Done+one.Done, last.Pending+one.Pending, last.Failed+one.Failed
			continue
		}
		list = append(list, one)
	}
	return list
}

// askDelay returns how old the oldest pending evaluation is, as of the last minute.
func (q *question) askDelay(ctx context.Context, records store.Aggregator, env tenant.Environment, before int64, now time.Time) ([]alert.Minute, error) {
	a := q.Aggregate
	a.From, a.To = now.Add(-pendingSince).UnixNano(), now.UnixNano()
	groups, err := records.Aggregate(ctx, env, a)
	if err != nil {
		return nil, err
	}
	list := []alert.Minute{}
	if len(a.By) == 0 {
		list = append(list, alert.Minute{At: before - 1, Keys: []string{}})
	}
	for _, g := range groups {
		age := now.Sub(time.Unix(0, g.Values[0].Whole)).Seconds()
		if len(a.By) == 0 {
			list[0].Sum = age
			break
		}
		list = append(list, alert.Minute{At: before - 1, Keys: g.Keys, Sum: age})
	}
	return list, nil
}

// settled returns before which minute all evaluations are done, or have been waited for: of
// the means of results none is changed later.
func settled(r *alert.Rule, list []alert.Minute, before, now int64) int64 {
	if r.Metric != alert.FailingShare && r.Metric != alert.MeanScore {
		return before
	}
	for i := range list {
		if m := &list[i]; m.Pending > 0 && now-m.At <= r.Delay+maxPending {
			before = min(before, m.At)
		}
	}
	return before
}
