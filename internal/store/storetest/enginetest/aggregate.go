// SPDX-License-Identifier: Apache-2.0

package enginetest

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/pools"
)

// exerciseAggregate compares figures with what package query says they mean.
func exerciseAggregate(t *testing.T, open Open, queries int) {
	env := storetest.Environment("prd")
	t.Run("means what it means in memory", func(t *testing.T) {
		t.Parallel()
		r := rand.New(rand.NewPCG(11, 12))
		b := newFixture(t, open)
		var records []store.Record
		for range 3 {
			var batch []store.Record
			for range 50 {
				n := len(records)
				x := storetest.Record(env, storetest.Span(env, n*97), pools.RandomEvaluations(r)...)
				x.Span.Name, x.Span.ResponseModel = "n"+strconv.Itoa(n%3), []string{"", "m'1", "m2"}[r.IntN(3)]
				for i := range x.Evaluations {
					x.Evaluations[i].Time += int64(n) * 100
					x.Evaluations[i].Usage.Cost = float64(r.IntN(8)) / 4
				}
				records = append(records, x)
				batch = append(batch, x, storetest.Record(storetest.Environment("stg"), x.Span, pools.RandomEvaluations(r)...))
			}
			b.write(batch...)
			b.pass(25 * time.Hour)
		}
		for i := range queries {
			a := randomAggregate(r)
			require.NoError(t, a.Validate())
			want := query.NewGroups(&a)
			for i := range records {
				want.Add(&records[i].Span, records[i].Evaluations)
			}
			got, err := b.Aggregate(t.Context(), env, a)
			require.NoError(t, err)
			require.Equal(t, want.List(), got, "%d: %+v", i, a)
		}
	})
	t.Run("counts until it is enough", func(t *testing.T) {
		t.Parallel()
		r := rand.New(rand.NewPCG(13, 14))
		b := newFixture(t, open)
		var records []store.Record
		for range 3 {
			var batch []store.Record
			for range 20 {
				x := storetest.Record(env, storetest.Span(env, len(records)*97), pools.RandomEvaluations(r)...)
				for i := range x.Evaluations {
					x.Evaluations[i].Time += int64(len(records)) * 100
				}
				records = append(records, x)
				batch = append(batch, x)
				for _, slug := range []string{"stg", "dev", "eu-prd", "eu-stg", "eu-dev"} { // which have most of what is counted
					batch = append(batch, storetest.Record(storetest.Environment(slug), x.Span, pools.RandomEvaluations(r)...))
				}
			}
			b.write(batch...)
			b.pass(25 * time.Hour)
		}
		of := func(name string, op query.Operator, value string) query.Filter {
			return query.Filter{Field: query.Record(name), Operator: op, Value: value}
		}
		for _, filters := range [][]query.Filter{
			nil,
			{of(query.RecordStatus, query.OpEquals, "deferred")},
			{of(query.RecordStatus, query.OpEquals, "deferred"), of(query.RecordTime, query.OpLessThan, strconv.FormatInt(storetest.Epoch.UnixNano()+30*100, 10))},
			{of(query.RecordStatus, query.OpEquals, "x")},
		} {
			a := query.Aggregate{Subject: query.Evaluations, From: math.MinInt64, To: records[50].Span.Start, Filters: filters, Figures: []query.Figure{{Measure: query.Count}}}
			g := query.NewGroups(&a)
			for i := range records {
				g.Add(&records[i].Span, records[i].Evaluations)
			}
			whole := int64(0)
			for _, all := range g.List() {
				whole = all.Values[0].Whole
			}
			for _, enough := range []int64{1, 2, 5, 20, max(whole-1, 1), max(whole, 1), whole + 1, 1000} {
				a.Enough = enough
				got, err := b.Aggregate(t.Context(), env, a)
				require.NoError(t, err)
				if whole == 0 {
					require.Empty(t, got)
					continue
				}
				require.Len(t, got, 1)
				require.GreaterOrEqual(t, got[0].Values[0].Whole, min(whole, enough))
				require.LessOrEqual(t, got[0].Values[0].Whole, whole)
			}
		}
	})
	t.Run("that means nothing is refused", func(t *testing.T) {
		t.Parallel()
		b := newFixture(t, open)
		_, err := b.Aggregate(t.Context(), env, query.Aggregate{Subject: "others", Figures: []query.Figure{{Measure: query.Count}}})
		require.Equal(t, fault.Invalid, fault.KindOf(err))
		require.NoError(t, b.Close())
		_, err = b.Aggregate(t.Context(), env, query.Aggregate{Figures: []query.Figure{{Measure: query.Count}}})
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
	})
}

// randomAggregate returns an aggregate that is valid.
func randomAggregate(r *rand.Rand) query.Aggregate {
	a := query.Aggregate{From: math.MinInt64, To: math.MaxInt64}
	texts, numbers := []string{query.RecordName, query.RecordResponseModel}, []string{query.RecordStart, query.RecordDuration}
	values := map[string][]string{query.RecordName: {"n0", "n1"}, query.RecordResponseModel: {"", "m'1", "\xff"}}
	a.Figures = []query.Figure{{Measure: query.Count}}
	if r.IntN(3) > 0 {
		a.Subject = query.Evaluations
		texts = []string{query.RecordEvaluator, query.RecordStatus, query.RecordSetup, query.RecordReason, query.RecordGood}
		numbers = []string{query.RecordTime, query.RecordDuration, query.RecordCost}
		values = map[string][]string{
			query.RecordStatus: {"done", "deferred", "x"}, query.RecordSetup: pools.Setups, query.RecordEvaluator: {"e", "\xff"}, query.RecordReason: {""}, query.RecordGood: {"false", ""},
		}
		if r.IntN(2) == 0 {
			for range 1 + r.IntN(40)/39*70 { // in more groups than a mask has bits, too
				a.Figures = append(a.Figures, query.Figure{Measure: query.CountSpans})
			}
		}
		if r.IntN(4) == 0 {
			op := []query.Operator{query.OpGreaterThan, query.OpGreaterThanOrEqual, query.OpLessThan, query.OpLessThanOrEqual}[r.IntN(4)]
			a.Filters = append(a.Filters, query.Filter{Field: query.Record(query.RecordCost), Operator: op, Value: strconv.Itoa(r.IntN(2))})
		}
	}
	for _, m := range []query.Measure{query.Sum, query.Min, query.Max} {
		if r.IntN(2) == 0 {
			name := numbers[r.IntN(len(numbers))]
			if m == query.Sum { // of times there is none that fits
				name = numbers[len(numbers)-1]
			}
			a.Figures = append(a.Figures, query.Figure{Measure: m, Of: query.Record(name)})
		}
	}
	if r.IntN(6) == 0 {
		a.Figures = []query.Figure{{Measure: query.Max, Of: query.Record(numbers[0])}}
	}
	for i := range a.Figures {
		if a.Subject == query.Evaluations && len(a.Figures) > 1 && r.IntN(3) == 0 {
			name := texts[r.IntN(len(texts))]
			op := []query.Operator{query.OpEquals, query.OpNotEquals, query.OpIn, query.OpNotIn}[r.IntN(4)]
			a.Figures[i].Where = &query.Filter{Field: query.Record(name), Operator: op, Value: values[name][0], Values: values[name]}
		}
	}
	for _, name := range texts {
		switch r.IntN(4) {
		case 0:
			a.By = append(a.By, query.Record(name))
		case 1:
			op := []query.Operator{query.OpEquals, query.OpNotEquals, query.OpIn, query.OpNotIn}[r.IntN(4)]
			a.Filters = append(a.Filters, query.Filter{
				Field: query.Record(name), Operator: op, Value: values[name][0], Values: values[name],
			})
		}
	}
	if r.IntN(3) == 0 {
		a.Step = time.Duration(1+r.IntN(3)) * 20 * time.Minute
	}
	if r.IntN(3) == 0 {
		a.From, a.To = storetest.Epoch.Add(-30*time.Minute).UnixNano(), storetest.Epoch.Add(time.Hour).UnixNano()
	}
	return a
}
