// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"bytes"
	"cmp"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// exerciseModel compares the engine with a model of the contract: spans with
// texts from a small pool, so that filters match by chance, and queries made of
// the same texts.
func exerciseModel(t *testing.T, open OpenSpans) {
	r := rand.New(rand.NewPCG(1, 2))
	b := newBench(t, open)
	env := environment("prd")
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
	s := simple(env, n)
	s.Start = epoch.Add(-time.Minute).UnixNano() + int64(r.IntN(5))*500_000
	s.Duration = int64(r.IntN(5)) * 500_000
	for _, text := range []*string{&s.Name, &s.Service, &s.StatusMessage, &s.Input, &s.Output, &s.Workflow, &s.Entity, &s.Vendor, &s.RequestModel, &s.ResponseModel} {
		*text = pick(r, pool)
	}
	for _, count := range []*int64{&s.InputTokens, &s.TotalTokens} {
		*count = int64(r.IntN(13) - 1)
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
	x := record(env, s)
	x.Evaluations = randomEvaluations(r)
	return x
}

func randomQuery(r *rand.Rand) span.Query {
	q := everything()
	if r.IntN(3) == 0 {
		q.From = epoch.Add(-time.Minute).UnixNano() + int64(r.IntN(4))*500_000
	}
	all := orders()
	q.Order = all[r.IntN(len(all))]
	q.Limit = 1 + r.IntN(40)
	for range 1 + r.IntN(2) {
		q.Filters = append(q.Filters, randomFilter(r))
	}
	return q
}

func randomFilter(r *rand.Rand) span.Filter {
	all := []span.Operator{
		span.OpEquals, span.OpNotEquals, span.OpGreaterThan, span.OpGreaterThanOrEqual, span.OpLessThan, span.OpLessThanOrEqual,
		span.OpContains, span.OpNotContains, span.OpStartsWith, span.OpIn, span.OpNotIn, span.OpExists, span.OpNotExists,
	}
	f := span.Filter{Field: randomField(r), Operator: all[r.IntN(len(all))]}
	switch {
	case f.Operator.Numeric():
		f.Value = pick(r, []string{"-1", "0", "1", "1.5", "2", "10", "999.5"})
		f.Number, _ = strconv.ParseFloat(f.Value, 64)
	case f.Operator == span.OpIn || f.Operator == span.OpNotIn:
		for range 1 + r.IntN(3) {
			f.Values = append(f.Values, pick(r, pool))
		}
	default:
		f.Value = pick(r, pool)
	}
	return f
}

func randomField(r *rand.Rand) span.Field {
	switch r.IntN(7) {
	case 0:
		return span.Field{Kind: span.FieldColumn, Name: pick(r, []string{
			"span_name", "service_name", "status_message", "input", "output", "duration", "prompts", "completions", "trace_id", "parent_span_id",
		})}
	case 1:
		return span.Field{Kind: span.FieldAlias, Name: pick(r, []string{
			span.AliasWorkflow, span.AliasEntity, span.AliasVendor, span.AliasResponseModel, span.AliasInputTokens, span.AliasTotalTokens,
		})}
	case 2:
		return span.Field{Kind: span.FieldMessage, Name: pick(r, poolMessages)}
	case 3:
		return span.Field{Kind: span.FieldSpanAttribute, Name: pick(r, poolKeys)}
	case 4:
		return span.Field{Kind: span.FieldResourceAttribute, Name: pick(r, poolKeys)}
	case 5:
		return span.Field{Kind: span.FieldEvaluation, Name: pick(r, []string{"e1", "e2"}), Output: pick(r, []string{"o1", "o2"})}
	}
	return span.Field{Kind: span.FieldAttribute, Name: pick(r, poolKeys)}
}

func (m model) find(q span.Query) []span.Span {
	var list []store.Record
	for _, x := range m.records {
		if x.Span.Start < q.From || x.Span.Start > q.To {
			continue
		}
		if !slices.ContainsFunc(q.Filters, func(f span.Filter) bool { return !m.matches(x, f) }) {
			list = append(list, x)
		}
	}
	return sorted(list, q.Order)
}

func (m model) matches(x store.Record, f span.Filter) bool {
	values, numbers := m.values(x, f.Field)
	return holds(f, values, numbers)
}

// holds reports whether a condition holds for a field with these values, which
// may be numbers.
func holds(f span.Filter, values []string, numbers bool) bool {
	some := func(test func(v string) bool) bool { return slices.ContainsFunc(values, test) }
	equal := func(want string) bool {
		return some(func(v string) bool {
			if !numbers {
				return v == want
			}
			a, found := number(v)
			b, ok := number(want)
			return found && ok && a == b
		})
	}
	in := func() bool { return slices.ContainsFunc(f.Values, equal) }
	numeric := func(test func(n float64) bool) bool {
		return some(func(v string) bool { n, ok := number(v); return ok && test(n) })
	}
	switch f.Operator {
	case span.OpEquals:
		return equal(f.Value)
	case span.OpNotEquals:
		return !equal(f.Value)
	case span.OpIn:
		return in()
	case span.OpNotIn:
		return !in()
	case span.OpExists:
		return len(values) > 0
	case span.OpNotExists:
		return len(values) == 0
	case span.OpContains:
		return some(func(v string) bool { return strings.Contains(v, f.Value) })
	case span.OpNotContains:
		return !some(func(v string) bool { return strings.Contains(v, f.Value) })
	case span.OpStartsWith:
		return some(func(v string) bool { return strings.HasPrefix(v, f.Value) })
	case span.OpGreaterThan:
		return numeric(func(n float64) bool { return n > f.Number })
	case span.OpGreaterThanOrEqual:
		return numeric(func(n float64) bool { return n >= f.Number })
	case span.OpLessThan:
		return numeric(func(n float64) bool { return n < f.Number })
	}
	return numeric(func(n float64) bool { return n <= f.Number })
}

var decimalNumber = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

func number(text string) (float64, bool) {
	if !decimalNumber.MatchString(text) {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && !math.IsInf(n, 0)
}

func comparePositions(a, b span.Position) int {
	return cmp.Or(
		cmp.Compare(a.Number, b.Number),
		cmp.Compare(a.Real, b.Real),
		strings.Compare(a.Text, b.Text),
		bytes.Compare(a.TraceID[:], b.TraceID[:]),
		bytes.Compare(a.SpanID[:], b.SpanID[:]),
	)
}
