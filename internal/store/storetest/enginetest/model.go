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
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// exerciseModel compares the engine with a model of the contract: spans with
// texts from a small pool, so that filters match by chance, and queries made of
// the same texts.
func exerciseModel(t *testing.T, open Open) {
	r := rand.New(rand.NewPCG(1, 2))
	b := newFixture(t, open)
	env := storetest.Environment("prd")
	m := model{slug: env.Slug}
	for range 4 {
		var batch []store.Record
		for range 60 {
			x := m.record(r, env, len(m.records))
			m.records = append(m.records, x)
			batch = append(batch, x)
		}
		b.write(batch...)
		b.pass(7 * time.Hour)
	}
	for range 400 {
		q := randomQuery(r)
		want := m.find(q)
		page := b.find(env, q)
		require.EqualValues(t, len(want), page.Total, "%+v", q)
		require.Equal(t, ids(want[:min(len(want), q.Limit)]), ids(page.Spans), "%+v", q)
	}
}

// pool are the texts that spans and filters share.
var pool = []string{
	"", "a", "b", "ab", "A", "%", "_", "a%", `\`, `'`, `"`, "é", "1", "2", "10", "1.5", "-1", "1e1", "NaN", "0x1", " 1", "a\x00b", "\U0001F600",
	"a longer text that does not fit", "a longer text that does not", "10000", "1000",
}

var poolKeys = []string{"k1", "k2", "k.3", "'k", "llm.vendor", "llm.usage.total_tokens", "traceloop.workflow.name", "gen_ai.system"}

var poolMessages = []string{"llm.prompts.0.content", "llm.prompts.0.role", "llm.prompts.1.content", "llm.completions.0.content", "llm.completions.0.role"}

// model is the contract, the slow way.
type model struct {
	slug    string
	records []store.Record
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

func (m model) record(r *rand.Rand, env tenant.Environment, n int) store.Record {
	s := storetest.Span(env, n)
	s.Start = storetest.Epoch.Add(-time.Minute).UnixNano() + int64(r.IntN(5))*500_000
	s.Duration = int64(r.IntN(5)) * 500_000
	s.Arrived = int64(r.IntN(5))
	for i := range span.Fields {
		switch f := &span.Fields[i]; {
		case f.Text != nil:
			*f.Text(&s) = pick(r, pool)
		case f.Count != nil:
			*f.Count(&s) = int64(r.IntN(13) - 1)
		}
	}
	for range r.IntN(5) {
		s.Attributes = s.Attributes.With(pick(r, poolKeys), pick(r, pool))
		s.Resource = s.Resource.With(pick(r, poolKeys), pick(r, pool))
	}
	for range r.IntN(4) {
		switch key := pick(r, poolMessages); {
		case strings.HasPrefix(key, "llm.prompts."):
			s.Prompts = s.Prompts.With(key, pick(r, pool))
		default:
			s.Completions = s.Completions.With(key, pick(r, pool))
		}
	}
	x := storetest.Record(env, s)
	x.Evaluations = randomEvaluations(r)
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
	all := []query.Operator{
		query.OpEquals, query.OpNotEquals, query.OpGreaterThan, query.OpGreaterThanOrEqual, query.OpLessThan, query.OpLessThanOrEqual,
		query.OpContains, query.OpNotContains, query.OpStartsWith, query.OpIn, query.OpNotIn, query.OpExists, query.OpNotExists,
	}
	f := query.Filter{Field: randomField(r), Operator: all[r.IntN(len(all))]}
	switch {
	case f.Operator.Numeric():
		f.Value = pick(r, []string{"-1", "0", "1", "1.5", "2", "10", "999.5"})
		f.Number, _ = strconv.ParseFloat(f.Value, 64)
	case f.Operator == query.OpIn || f.Operator == query.OpNotIn:
		for range 1 + r.IntN(3) {
			f.Values = append(f.Values, pick(r, pool))
		}
	default:
		f.Value = pick(r, pool)
	}
	if f.Field.Kind == query.FieldJudged && !f.Operator.Numeric() && r.IntN(3) > 0 {
		judged := []string{"done", "failed", "deferred", "e", eval.ReasonMissingInput, string(eval.Judge), "set_1", "'s"}
		for i := range f.Values {
			f.Values[i] = pick(r, judged)
		}
		f.Value = pick(r, judged)
	}
	return f
}

func randomField(r *rand.Rand) query.Field {
	switch r.IntN(8) {
	case 6:
		return query.Field{
			Kind: query.FieldJudged, Name: pick(r, []string{"", "e1", "e2", "\xff"}),
			Output: pick(r, []string{query.JudgedStatus, query.JudgedReason, query.JudgedBackend, query.JudgedSetup}),
		}
	case 0:
		return query.Field{Kind: query.FieldColumn, Name: pick(r, fieldIDs(false))}
	case 1:
		return query.Field{Kind: query.FieldAlias, Name: pick(r, fieldIDs(true))}
	case 2:
		return query.Field{Kind: query.FieldMessage, Name: pick(r, poolMessages)}
	case 3:
		return query.Field{Kind: query.FieldSpanAttribute, Name: pick(r, poolKeys)}
	case 4:
		return query.Field{Kind: query.FieldResourceAttribute, Name: pick(r, poolKeys)}
	case 5:
		return query.Field{Kind: query.FieldEvaluation, Name: pick(r, []string{"e1", "e2"}), Output: pick(r, []string{"o1", "o2"})}
	}
	return query.Field{Kind: query.FieldAttribute, Name: pick(r, poolKeys)}
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
