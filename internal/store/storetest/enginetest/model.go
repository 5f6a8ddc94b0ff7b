// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/pools"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// randomPeriods is how many times the spans that random queries are asked of arrive at, with
// hours between: an engine that cuts by the time has those before, between and
// last.
const randomPeriods = 3

// exerciseModel compares the engine with a model of the contract: spans with
// texts from a small pool, so that filters match by chance, and queries made of
// the same texts.
func exerciseModel(t *testing.T, open Open, queries int) {
	r := rand.New(rand.NewPCG(1, 2))
	b := newFixture(t, open)
	env := storetest.Environment("prd")
	m := model{slug: env.Slug}
	for range randomPeriods {
		var batch []store.Record
		for range 80 {
			x := m.record(r, env, len(m.records))
			m.records = append(m.records, x)
			batch = append(batch, x)
		}
		b.write(batch...)
		b.pass(7 * time.Hour)
	}
	for range queries {
		q := randomQuery(r)
		want := m.find(q)
		page := b.find(env, q)
		require.EqualValues(t, len(want), page.Total, "%+v", q)
		require.Equal(t, storetest.IDs(want[:min(len(want), q.Limit)]), storetest.IDs(page.Spans), "%+v", q)
	}
}

// model is the contract, the slow way.
type model struct {
	slug    string
	records []store.Record
}

func (m model) record(r *rand.Rand, env tenant.Environment, n int) store.Record {
	s := storetest.Span(env, n)
	s.Start = storetest.Epoch.Add(-time.Minute).UnixNano() + int64(r.IntN(5))*500_000
	s.Duration = int64(r.IntN(5)) * 500_000
	s.Arrived = int64(r.IntN(5))
	for i := range span.Fields {
		switch f := &span.Fields[i]; {
		case f.Text != nil:
			*f.Text(&s) = pools.Pick(r, pools.Texts)
		case f.Count != nil:
			*f.Count(&s) = int64(r.IntN(13) - 1)
		}
	}
	for range r.IntN(5) {
		s.Attributes = s.Attributes.With(pools.Pick(r, pools.Keys), pools.Pick(r, pools.Texts))
		s.Resource = s.Resource.With(pools.Pick(r, pools.Keys), pools.Pick(r, pools.Texts))
	}
	for range r.IntN(4) {
		switch key := pools.Pick(r, pools.Messages); {
		case strings.HasPrefix(key, "llm.prompts."):
			s.Prompts = s.Prompts.With(key, pools.Pick(r, pools.Texts))
		default:
			s.Completions = s.Completions.With(key, pools.Pick(r, pools.Texts))
		}
	}
	x := storetest.Record(env, s)
	x.Evaluations = pools.RandomEvaluations(r)
	return x
}

func randomQuery(r *rand.Rand) query.Query {
	q := everything()
	if r.IntN(3) == 0 {
		q.From = storetest.Epoch.Add(-time.Minute).UnixNano() + int64(r.IntN(4))*500_000
	}
	all := orders()
	q.Order = all[r.IntN(len(all))]
	q.Limit = 1 + r.IntN(40)
	for range 1 + r.IntN(2) {
		q.Filters = append(q.Filters, randomTree(r, randomFilter, 2))
	}
	return q
}

func randomFilter(r *rand.Rand) query.Filter {
	if r.IntN(12) == 0 {
		return randomJudged(r)
	}
	all := []query.Operator{
		query.OpEquals, query.OpNotEquals, query.OpGreaterThan, query.OpGreaterThanOrEqual, query.OpLessThan, query.OpLessThanOrEqual,
		query.OpContains, query.OpNotContains, query.OpStartsWith, query.OpIn, query.OpNotIn, query.OpExists, query.OpNotExists,
	}
	f := query.Filter{Field: randomField(r), Operator: all[r.IntN(len(all))]}
	switch {
	case f.Operator.Numeric():
		f.Value = pools.Pick(r, []string{"-1", "0", "1", "1.5", "2", "10", "999.5"})
		f.Number, _ = strconv.ParseFloat(f.Value, 64)
	case f.Operator == query.OpIn || f.Operator == query.OpNotIn:
		for range 1 + r.IntN(3) {
			f.Values = append(f.Values, pools.Pick(r, pools.Texts))
		}
	default:
		f.Value = pools.Pick(r, pools.Texts)
	}
	if f.Field.Kind == query.FieldJudged && !f.Operator.Numeric() && r.IntN(3) > 0 {
		for i := range f.Values {
			f.Values[i] = pools.Pick(r, judgedTexts)
		}
		f.Value = pools.Pick(r, judgedTexts)
	}
	return f
}

// judgedTexts are texts that evaluations have.
var judgedTexts = []string{"done", "failed", "deferred", "e", eval.ReasonMissingInput, string(eval.Judge), "set_1", "'s", "true", "false"}

// randomJudged returns a condition on one evaluation.
func randomJudged(r *rand.Rand) query.Filter {
	var list []query.Filter
	for range r.IntN(4) {
		f := query.Filter{Field: randomJudgedField(r, query.JudgedTime), Operator: []query.Operator{query.OpEquals, query.OpIn, query.OpExists}[r.IntN(3)]}
		f.Value, f.Values = pools.Pick(r, judgedTexts), []string{pools.Pick(r, judgedTexts), pools.Pick(r, judgedTexts)}
		switch f.Field.Output {
		case query.JudgedTime:
			f.Operator, f.Values = []query.Operator{query.OpLessThan, query.OpGreaterThanOrEqual}[r.IntN(2)], nil
			f.Value = strconv.FormatInt(storetest.Epoch.UnixNano()+int64(r.IntN(4)), 10)
		case query.JudgedStatus:
			f.Value = pools.Pick(r, []string{"done", "uncertain", "failed", "deferred", "skipped"})
		case query.JudgedGood:
			f.Value = pools.Pick(r, []string{"true", "false"})
		case query.JudgedSetup:
			f.Value = pools.Pick(r, pools.Setups)
		}
		list = append(list, f)
	}
	return query.Judged(list...)
}

func randomJudgedField(r *rand.Rand, also ...string) query.Field {
	return query.Field{
		Kind: query.FieldJudged, Name: pools.Pick(r, []string{"", "e1", "e2", "\xff"}),
		Output: pools.Pick(r, append(also, query.JudgedStatus, query.JudgedReason, query.JudgedBackend, query.JudgedSetup, query.JudgedGood)),
	}
}

func randomField(r *rand.Rand) query.Field {
	switch r.IntN(8) {
	case 6:
		return randomJudgedField(r)
	case 0:
		return query.Column(pools.Pick(r, fieldIDs(false)))
	case 1:
		return query.Field{Kind: query.FieldAlias, Name: pools.Pick(r, fieldIDs(true))}
	case 2:
		return query.Field{Kind: query.FieldMessage, Name: pools.Pick(r, pools.Messages)}
	case 3:
		return query.Field{Kind: query.FieldSpanAttribute, Name: pools.Pick(r, pools.Keys)}
	case 4:
		return query.Field{Kind: query.FieldResourceAttribute, Name: pools.Pick(r, pools.Keys)}
	case 5:
		return query.Field{Kind: query.FieldEvaluation, Name: pools.Pick(r, []string{"e1", "e2"}), Output: pools.Pick(r, []string{"o1", "o2"})}
	}
	return query.Field{Kind: query.FieldAttribute, Name: pools.Pick(r, pools.Keys)}
}

// fieldIDs names the fields of spans that are promoted, or the others that a
// filter can look at.
func fieldIDs(promoted bool) (list []string) {
	for i := range span.Fields {
		if f := &span.Fields[i]; f.Promoted == promoted && !f.Keyed && f.JSON == nil {
			list = append(list, f.ID)
		}
	}
	return list
}

func (m model) find(q query.Query) []span.Span {
	var list []store.Record
	for _, x := range m.records {
		if s := shown(x); q.Matches(&s, nil, x.Evaluations...) {
			list = append(list, x)
		}
	}
	return sorted(list, q.Order)
}
