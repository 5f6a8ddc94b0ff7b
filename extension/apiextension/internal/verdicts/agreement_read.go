// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"context"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// fetched is of how many spans the evaluations are read at once.
const fetched = 1000

// verdicts are what two sides said of spans.
type verdicts struct {
	// latest are the latest verdicts of each side, at least on the spans that both
	// judged.
	latest [2]map[span.Key]*query.Output
	spans  [2]int // how many spans each side judged
	// fewer is the side that judged fewer spans, and more says that it judged others
	// besides those that were looked at.
	fewer *Source
	more  bool
}

// read returns what two sides said: all that the side with fewer spans did, of the newest
// ones, and what the other says of these. Spans that both judged may be older than most of
// what one of them did.
func (a *AgreementAPI) read(ctx context.Context, env tenant.Environment, sides [2]*Source, from, to int64) (v verdicts, err error) {
	for i, s := range sides {
		if v.spans[i], err = a.count(ctx, env, s, from, to); err != nil {
			return v, err
		}
	}
	few := 0
	if v.spans[1] < v.spans[0] {
		few = 1
	}
	v.fewer = sides[few]
	q := query.Query{
		Subject: query.Outputs, From: from, To: to, Filters: v.fewer.Filters(),
		Order: query.Order{By: query.SortTimestamp, Descending: true}, Limit: query.MaxLimit,
	}
	said := map[span.Key]*query.Output{}
	if v.more, err = a.each(ctx, env, q, func(x *query.Output) { keep(said, x) }); err != nil {
		return v, err
	}
	v.latest[few] = said
	v.latest[1-few], err = a.others(ctx, env, sides[1-few], said)
	return v, err
}

// keep keeps the latest verdict on each span.
func keep(latest map[span.Key]*query.Output, x *query.Output) {
	if last := latest[x.Span]; last == nil || x.Time >= last.Time {
		latest[x.Span] = x
	}
}

// count returns how many spans a side judged.
func (a *AgreementAPI) count(ctx context.Context, env tenant.Environment, s *Source, from, to int64) (int, error) {
	asked := query.Aggregate{Subject: query.Spans, From: from, To: to, Figures: []query.Figure{{Measure: query.Count}}}
	asked.Filters = []query.Filter{{Field: s.Field, Operator: query.OpExists}}
	if s.Narrowed() { // of one setup there is one verdict on a span
		asked.Subject, asked.Filters = query.Outputs, s.Filters()
	}
	groups, err := a.Records.Aggregate(ctx, env, asked)
	if err != nil || len(groups) == 0 {
		return 0, err
	}
	return int(groups[0].Values[0].Whole), nil
}

// each visits the outputs that a query asks for, maxOutputs or some more, and returns
// whether there are others.
func (a *AgreementAPI) each(ctx context.Context, env tenant.Environment, q query.Query, visit func(*query.Output)) (more bool, err error) {
	for read := 0; ; {
		page, err := a.Records.Search(ctx, env, q)
		if err != nil {
			return false, err
		}
		for i := range page.Outputs {
			visit(&page.Outputs[i])
		}
		if read += len(page.Outputs); page.Next == nil {
			return false, nil
		}
		if read >= maxOutputs {
			return true, nil
		}
		q.After = page.Next
	}
}

// others returns what a side says of spans that the other one judged.
func (a *AgreementAPI) others(ctx context.Context, env tenant.Environment, s *Source, judged map[span.Key]*query.Output) (map[span.Key]*query.Output, error) {
	keys := make([]span.Key, 0, len(judged))
	for key := range judged {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(x, y span.Key) int { return int(min(max(x.Start-y.Start, -1), 1)) })
	latest := map[span.Key]*query.Output{}
	for some := range slices.Chunk(keys, fetched) {
		made, err := store.EvaluationsAt(ctx, a.Records, env.ID, some)
		if err != nil {
			return nil, err
		}
		for i, key := range some {
			for j := range made[i] {
				if said := outputOf(s, &made[i][j], judged[key]); said != nil {
					keep(latest, said)
				}
			}
		}
	}
	return latest, nil
}

// outputOf returns what an evaluation says, if the source made it, nil otherwise; of is
// another verdict on the same span.
func outputOf(s *Source, e *eval.Evaluation, of *query.Output) *query.Output {
	if e.Status != eval.Done || !s.Made(e) {
		return nil
	}
	i := slices.IndexFunc(e.Outputs, func(o eval.Output) bool { return o.Name == s.Field.Output })
	if i < 0 {
		return nil
	}
	said := *of
	said.SetupID, said.Evaluator, said.Output = e.SetupID, e.Evaluator, e.Outputs[i]
	said.Backend, said.Source, said.Version, said.Judge, said.Time = e.Backend, e.Source, e.Version, e.Model, e.Time
	return &said
}
