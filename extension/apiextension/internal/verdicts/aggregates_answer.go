// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"context"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Aggregation are the figures.
type Aggregation struct {
	Step  int64   `json:"step_sec" doc:"As asked for."`
	Times []int64 `json:"times" doc:"When the steps begin, in Unix seconds."`
	part
	Groups []AggregationGroup `json:"groups" doc:"Those with the highest count, these first."`
	Other  *part              `json:"other,omitempty" doc:"All other groups together; absent where there are none."`
	Count  int                `json:"group_count" doc:"How many groups there are."`
	Bins   []AggregationBin   `json:"bins,omitempty" doc:"The spread of numbers: those from the one bound on that are below the other, which the last bin has too."`
}

// part are the measures of what matches, all of it or a group.
type part struct {
	Total map[string]any `json:"total" doc:"Each measure. A duration is in nanoseconds, a cost in US dollars, last_ns a Unix time in nanoseconds. null: there was nothing to measure." items:"schema:\"types=number,null\""`
	// Interval is of metrics alone, where it is asked for.
	Interval *AggregationInterval `json:"interval,omitempty" doc:"The share of failing results, where it is asked for."`
	Series   map[string][]any     `json:"series,omitempty" doc:"Each measure of each step. Of all together only without group_by." items:"schema:\"elements=number,null\""`
}

// AggregationGroup are the measures of one group.
type AggregationGroup struct {
	Keys []string `json:"keys" doc:"The texts that its members have in common, in the order of group_by, up to 256 characters; empty where there is none."`
	part
}

// answer asks the store for everything at once, and for the spread.
func (q *question) answer(ctx context.Context, from store.Aggregator, env tenant.Environment) (*Aggregation, error) {
	shown := &Aggregation{Step: int64(q.Step / time.Second), Times: []int64{}, Groups: []AggregationGroup{}}
	times := q.times()
	for _, at := range times {
		shown.Times = append(shown.Times, at/int64(time.Second))
	}
	whole := q.Aggregate
	whole.Rollup = &query.Rollup{Top: q.top, Series: maxSeries}
	list, err := from.Aggregate(ctx, env, whole)
	if err != nil {
		return nil, err
	}
	q.fill(times, list, shown)
	if q.bins > 0 {
		shown.Bins, err = q.spread(func(a query.Aggregate) ([]query.Group, error) { return from.Aggregate(ctx, env, a) })
	}
	if err == nil && q.interval != nil {
		err = q.interval.fill(ctx, from, env, q, shown)
	}
	return shown, err
}

// fill fills in the groups of a rollup.
func (q *question) fill(times []int64, list []query.Group, shown *Aggregation) {
	var all, rest []query.Group
	byKeys := map[string][]query.Group{}
	for _, g := range list {
		switch {
		case g.Level == query.InAll:
			all = append(all, g)
		case g.Level == query.InPeriod && g.Rest:
			shown.Other = &part{Total: q.values(g.Values)}
		case g.Level == query.InPeriod:
			if shown.Count++; shown.Count <= q.top {
				shown.Groups = append(shown.Groups, AggregationGroup{Keys: g.Keys, part: part{Total: q.values(g.Values)}})
			}
		case g.Rest:
			rest = append(rest, g)
		default:
			byKeys[joined(g.Keys)] = append(byKeys[joined(g.Keys)], g)
		}
	}
	shown.Total = q.totals(all)
	switch {
	case q.Step == 0:
		return
	case len(q.By) == 0:
		shown.Series = q.series(times, byKeys[joined(nil)])
	}
	for i := range shown.Groups {
		shown.Groups[i].Series = q.series(times, byKeys[joined(shown.Groups[i].Keys)])
	}
	if shown.Other != nil {
		shown.Other.Series = q.series(times, rest)
	}
}

// totals returns the measures of a group alone, or of nothing.
func (q *question) totals(list []query.Group) map[string]any {
	if len(list) > 0 {
		return q.values(list[0].Values)
	}
	return q.values(q.nothing())
}

// nothing are the figures of nothing.
func (q *question) nothing() []query.Value {
	values := make([]query.Value, len(q.Figures))
	for i, f := range q.Figures {
		switch f.Measure {
		case query.Min, query.Max, query.Quantile:
			values[i].None = true
		case query.Count, query.CountSpans, query.Sum:
		}
	}
	return values
}

func (q *question) values(values []query.Value) map[string]any {
	shown := make(map[string]any, len(q.measures))
	for i, name := range q.measures {
		shown[name] = q.measured[i].value(values)
	}
	return shown
}

// series returns the measures of each step.
func (q *question) series(times []int64, groups []query.Group) map[string][]any {
	at := make(map[int64][]query.Value, len(groups))
	for _, g := range groups {
		at[g.Time] = g.Values
	}
	shown, nothing := make(map[string][]any, len(q.measures)), q.nothing()
	for i, name := range q.measures {
		list := make([]any, len(times))
		for j, t := range times {
			values := at[t]
			if values == nil {
				values = nothing
			}
			list[j] = q.measured[i].value(values)
		}
		shown[name] = list
	}
	return shown
}

// joined returns one text for keys, which no other keys have.
func joined(keys []string) string {
	var b strings.Builder
	for _, k := range keys {
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(k, "\\", "\\\\"), "\n", "\\n"))
		b.WriteByte('\n')
	}
	return b.String()
}
