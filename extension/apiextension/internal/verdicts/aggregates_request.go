// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"fmt"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/spans"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
)

// SpanAggregation is what all aggregations are asked by.
type SpanAggregation struct {
	rest.Period
	Filters  rest.Filters `json:"filters" doc:"Conditions on the span that must all hold, as in searches of spans." schema:"maxItems=100"`
	Line     string       `json:"q" doc:"More conditions, as a line such as status:error model:gpt-4o -name:\"GET /\" duration>2s." schema:"maxLength=4096"`
	Step     rest.Int     `json:"step_sec" doc:"Length of the steps that the period is cut into, in seconds; they begin at multiples of it since 1970. 0: no steps. At most 400 steps are answered." schema:"minimum=0 maximum=31622400 default=0"`
	By       []string     `json:"group_by" doc:"Fields of the span that are texts, or attributes, by the names that filters give them." schema:"maxItems=2 uniqueItems=true" items:"schema:\"minLength=1 maxLength=4096\""`
	Measures []string     `json:"measures" doc:"What is measured. over_1s counts the spans that take longer than that." schema:"required minItems=1 maxItems=20 uniqueItems=true" items:"enum:\"count,errors,against,duration_avg,duration_sum,duration_min,duration_max,duration_p50,duration_p90,duration_p95,duration_p99,over_10ms,over_30ms,over_100ms,over_300ms,over_1s,over_3s,over_10s,over_30s,over_100s,input_tokens,output_tokens,total_tokens,cost,input_cost\""`
	Top      *rest.Int    `json:"top" doc:"How many groups are answered, those with the highest count; all others are one." schema:"minimum=1 maximum=50 default=10"`
}

// question is what is asked of the store, of which top groups are shown.
type question struct {
	query.Aggregate
	top      int
	by       []string // as they were written
	measures []string
	measured []measure         // in their order
	bins     int               // of the spread, 0 for none
	interval *intervalQuestion // nil for none
}

// question returns what is asked. known are the measures that there are, and own
// the names of fields to group by that are not of the span.
func (r *SpanAggregation) question(now time.Time, subject query.Subject, known map[string]measure, own map[string]query.Field) (*question, error) {
	q := &question{top: defaultTop, by: r.By, measures: r.Measures}
	q.Subject, q.Step, q.Limit = subject, time.Duration(r.Step)*time.Second, maxGroups
	if r.Top != nil {
		q.top = int(*r.Top)
	}
	var err error
	if q.From, q.To, err = r.Bounds(now.UnixNano()); err != nil {
		return nil, err
	}
	if err := q.checkStep(); err != nil {
		return nil, err
	}
	if q.Filters, err = spans.ParseFilters(r.Filters.RawMessage, r.Line); err != nil {
		return nil, err
	}
	for i, id := range r.By {
		f, found := own[id]
		if !found {
			if f, err = query.ParseField(id); err != nil {
				return nil, fault.New(fault.Invalid, "group_by[%d] %s", i, fault.Message(err))
			}
		}
		probe := query.Aggregate{Subject: subject, By: []query.Field{f}, Figures: []query.Figure{{Measure: query.Count}}}
		if probe.Validate() != nil {
			return nil, fault.New(fault.Invalid, "group_by[%d] must be a field that is a text, or an attribute", i)
		}
		q.By = append(q.By, f)
	}
	q.Figures = []query.Figure{{Measure: query.Count}} // by which groups are ranked
	for i, name := range r.Measures {
		m, found := known[name]
		if !found {
			return nil, fault.New(fault.Invalid, "measures[%d] is not known", i)
		}
		q.measure(m)
	}
	return q, nil
}

// measure adds a measure, and the figures that it needs.
func (q *question) measure(m measure) {
	m.at = len(q.Figures)
	q.measured = append(q.measured, m)
	q.Figures = append(q.Figures, m.figures...)
}

// checkStep refuses steps that a period has too many of.
func (q *question) checkStep() error {
	if q.Step == 0 {
		return nil
	}
	step := int64(q.Step)
	// In floating point, as the ends may be the last that there are.
	steps := (float64(q.To)-float64(q.From))/float64(step) + 1
	if steps > maxSteps {
		least := (float64(q.To) - float64(q.From)) / float64(time.Second) / (maxSteps - 1)
		return fault.New(fault.Invalid, "step_sec is too small for this period: at most %d steps are answered, which takes %.0f", maxSteps, least+1)
	}
	if most := int(maxSeries / steps); q.top > most {
		return fault.New(fault.Invalid, "top must be at most %d with so many steps", most)
	}
	return nil
}

// times returns when the steps begin, Unix nanoseconds.
func (q *question) times() []int64 {
	if q.Step == 0 {
		return nil
	}
	return query.StepsIn(q.From, q.To, int64(q.Step))
}

func quantile(of query.Field, percent int) measure {
	return plain(query.Figure{Measure: query.Quantile, Of: of, Percent: percent})
}

// named adds measures of a field under names with a prefix.
func named(known map[string]measure, prefix string, of query.Field) {
	for _, percent := range []int{50, 90, 95, 99} {
		known[fmt.Sprintf("%sp%d", prefix, percent)] = quantile(of, percent)
	}
	known[prefix+"sum"] = plain(query.Figure{Measure: query.Sum, Of: of})
	known[prefix+"min"] = plain(query.Figure{Measure: query.Min, Of: of})
	known[prefix+"max"] = plain(query.Figure{Measure: query.Max, Of: of})
	known[prefix+"avg"] = ratio(query.Figure{Measure: query.Sum, Of: of}, query.Figure{Measure: query.Count, Of: of})
}
