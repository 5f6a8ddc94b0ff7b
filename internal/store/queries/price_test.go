// SPDX-License-Identifier: Apache-2.0

package queries_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/queries"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/spangen"
)

func TestExtentIsWhatIsStored(t *testing.T) {
	t.Parallel()
	db := openEngine(t)
	counts := fill(t, db, 4000)
	var all int64
	for env, n := range counts {
		x := db.Extent(env, 0, 1<<62)
		require.Equal(t, n, x.Spans, env)
		require.Positive(t, x.Bytes)
		all += x.Bytes
		require.Zero(t, db.Extent(env, 0, 1), "nothing started then")
	}
	require.Greater(t, all, int64(4000*200), "about as much as the file has")
	require.Zero(t, db.Extent("nobody", 0, 1<<62))

	prd := spangen.New(spangen.Options{}).Environments()[0]
	page, err := db.Search(t.Context(), prd, query.Query{
		To: 1 << 62, Limit: 1, Order: query.Order{By: query.SortTimestamp},
	})
	require.NoError(t, err)
	first := page.Spans[0].Start
	half := db.Extent(prd.ID, first, first+int64(20*time.Second))
	require.InEpsilon(t, counts[prd.ID]/2, half.Spans, 0.1)
}

func TestWhatLooksAtTooMuchIsRefusedBeforeItRuns(t *testing.T) {
	t.Parallel()
	db := openEngine(t)
	counts := fill(t, db, 4000)
	prd := spangen.New(spangen.Options{}).Environments()[0]
	stored := db.Extent(prd.ID, 0, 1<<62)
	filtered := func(f query.Filter) query.Query {
		q := page()
		q.Filters = []query.Filter{f}
		return q
	}
	customer := query.Field{Kind: query.FieldAttribute, Name: "customer"}
	many := page()
	for range 3 * query.MaxFilters {
		many.Filters = append(many.Filters, query.Filter{Field: query.Column("span_kind"), Operator: query.OpNotEquals, Value: "x"})
	}
	shorter := contains("x")
	shorter.From = time.Now().Add(-24*time.Hour - time.Second).UnixNano()
	shorter.To = shorter.From + int64(2*time.Second)

	for name, c := range map[string]struct {
		q       query.Query
		refused bool
	}{
		"a page by time":                {q: page()},
		"a text that has another in it": {q: contains("x"), refused: true},
		"the same of a few seconds":     {q: shorter},
		"an exact value":                {q: filtered(query.Filter{Field: customer, Operator: query.OpEquals, Value: "x"})},
		"any value but one":             {q: filtered(query.Filter{Field: customer, Operator: query.OpNotEquals, Value: "x"}), refused: true},
		"one of several conditions":     {q: filtered(query.Any(contains("x").Filters[0], contains("y").Filters[0])), refused: true},
		"a short field":                 {q: filtered(query.Filter{Field: query.Column("span_name"), Operator: query.OpContains, Value: "x"})},
		"a field of any length":         {q: filtered(query.Filter{Field: query.Column("prompts"), Operator: query.OpContains, Value: "x"}), refused: true},
		"hundreds of conditions":        {q: many, refused: true},
		"whether an evaluator was asked": {q: filtered(query.Judged(
			query.Filter{Field: query.Field{Kind: query.FieldJudged, Name: "word-count", Output: query.JudgedStatus}, Operator: query.OpExists},
			query.Filter{Field: query.Field{Kind: query.FieldJudged, Output: query.JudgedTime}, Operator: query.OpGreaterThan, Value: "1"},
		))},
	} {
		s := queries.New(db, db, queries.Limits{AtOnce: 1, Bytes: stored.Bytes / 4})
		_, err := s.Search(t.Context(), prd, c.q)
		if !c.refused {
			require.NoError(t, err, name)
			continue
		}
		require.Equal(t, fault.Invalid, fault.KindOf(err), "%s: %v", name, err)
		require.ErrorContains(t, err, "ask for a shorter period")
		require.Equal(t, int64(1), s.Stats().Refused[queries.OverPrice])
	}

	s := queries.New(db, db, queries.Limits{AtOnce: 1, Spans: counts[prd.ID] - 1})
	count := query.Aggregate{To: 1 << 62, Figures: []query.Figure{{Measure: query.Count}}}
	_, err := s.Aggregate(t.Context(), prd, count)
	require.Equal(t, fault.Invalid, fault.KindOf(err), "%v", err)
	count.Figures = []query.Figure{{Measure: query.Max, Of: query.Record(query.RecordStart)}}
	_, err = s.Aggregate(t.Context(), prd, count)
	require.NoError(t, err, "the last is found at the end")
}
