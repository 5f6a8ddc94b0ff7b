// SPDX-License-Identifier: Apache-2.0

package query

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// evaluated is a span with its evaluations.
type evaluated struct {
	span span.Span
	made []eval.Evaluation
}

// stored answers aggregates without a rollup from memory, and counts them.
type stored struct {
	spans []evaluated
	asked int
}

func (s *stored) ask(a Aggregate) ([]Group, error) {
	s.asked++
	g := NewGroups(&a)
	for i := range s.spans {
		g.Add(&s.spans[i].span, s.spans[i].made)
	}
	if a.Limit > 0 && g.Len() > a.Limit {
		return nil, a.ErrGroups()
	}
	return g.List(), nil
}

// group returns what plain aggregates say of one group of a rollup, whose others are the
// keys of the groups that are not in the rest.
func (s *stored) group(t *testing.T, a Aggregate, of Group, largest [][]string) Group {
	t.Helper()
	a.Rollup, a.Limit = nil, 0
	if of.Level != InStep {
		a.Step = 0
	}
	if of.Level == InAll {
		a.By = nil
	}
	if of.Rest {
		a.Only = largest
	}
	list, err := s.ask(a)
	require.NoError(t, err)
	for _, g := range list {
		if g.Time == of.Time && g.Rest == of.Rest && g.id() == of.id() {
			g.Level = of.Level
			return g
		}
	}
	require.Fail(t, "there is no such group", "%+v of %+v", of, a)
	return Group{}
}

// Whatever is asked, and by how many questions it is found, every group is what the same
// rows come to in a question of their own, and none is missing.
func TestARollupIsWhatItsPartsAre(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(31, 32))
	s := &stored{}
	for i := range 200 {
		x := evaluated{span: span.Span{Start: int64(i), Duration: r.Int64N(50), Name: string(rune('a' + min(r.IntN(8), r.IntN(8))))}}
		for range r.IntN(4) {
			x.made = append(x.made, eval.Evaluation{Evaluator: x.span.Name + string(rune('x'+r.IntN(2))), Status: eval.Done, Usage: eval.Usage{Cost: 1}})
		}
		s.spans = append(s.spans, x)
	}
	count := Figure{Measure: Count}
	kinds := []Aggregate{
		{By: []Field{Record(RecordName)}, Figures: []Figure{count}},
		{By: []Field{Record(RecordName)}, Figures: []Figure{count, {Measure: Quantile, Of: Record(RecordDuration), Percent: 90}, {Measure: Max, Of: Record(RecordDuration)}}},
		{Subject: Evaluations, By: []Field{Record(RecordEvaluator)}, Figures: []Figure{count, {Measure: CountSpans}, {Measure: Sum, Of: Record(RecordCost)}}},
	}
	for range 300 {
		a := kinds[r.IntN(len(kinds))]
		a.To, a.Limit = 300, 100
		a.Rollup = &Rollup{Top: r.IntN(20), Series: []int{5, 1000}[r.IntN(2)]}
		if r.IntN(4) == 0 {
			a.By = nil
		}
		if r.IntN(2) == 0 {
			a.Step = time.Duration(20 + r.IntN(100))
		}
		require.NoError(t, a.Validate())
		require.True(t, a.General())
		got, err := a.Answer(s.ask)
		require.NoError(t, err)
		plain := a
		plain.Rollup = nil
		var largest [][]string
		if len(a.By) > 0 {
			period := plain
			period.Step = 0
			groups, err := s.ask(period)
			require.NoError(t, err)
			require.NotEmpty(t, groups)
			for i := range groups {
				require.Equal(t, InPeriod, got[i].Level)
				require.False(t, got[i].Rest)
				if i > 0 {
					require.GreaterOrEqual(t, got[i-1].Values[0].Whole, got[i].Values[0].Whole)
				}
			}
			largest = [][]string{}
			for i := range min(a.Rollup.Top, len(groups)) {
				largest = append(largest, got[i].Keys)
			}
			require.Equal(t, len(groups) > a.Rollup.Top, len(got) > len(groups) && got[len(groups)].Level == InPeriod && got[len(groups)].Rest)
		}
		steps := 0
		for _, g := range got {
			require.Equal(t, s.group(t, a, g, largest), g)
			if g.Level == InStep {
				steps++
			}
		}
		wanted := plain
		wanted.Only, wanted.Limit = largest, 0
		list, err := s.ask(wanted)
		require.NoError(t, err)
		if a.Step == 0 {
			list = nil
		}
		require.Len(t, list, steps)
		require.Equal(t, InAll, got[len(got)-1].Level)
	}
}

func TestARollupAsksOnceWhereThatTellsAll(t *testing.T) {
	t.Parallel()
	s := &stored{spans: []evaluated{{span: span.Span{Start: 1, Name: "a"}}, {span: span.Span{Start: 20, Name: "b"}}}}
	count := Figure{Measure: Count}
	name := []Field{Record(RecordName)}
	quantile := Figure{Measure: Quantile, Of: Record(RecordDuration), Percent: 50}
	for _, row := range []struct {
		of   Aggregate
		want int
	}{
		{Aggregate{Figures: []Figure{count}}, 1},
		{Aggregate{Figures: []Figure{count}, Step: 10}, 1},
		{Aggregate{Figures: []Figure{count}, By: name}, 1},
		{Aggregate{Figures: []Figure{count}, By: name, Step: 10}, 1},
		{Aggregate{Figures: []Figure{count, quantile}, By: name, Step: 10}, 4}, // groups, the rest, steps, all
	} {
		s.asked = 0
		row.of.To, row.of.Rollup = 100, &Rollup{Top: 1, Series: 10}
		_, err := row.of.Answer(s.ask)
		require.NoError(t, err)
		require.Equal(t, row.want, s.asked, "%+v", row.of)
	}
}

func TestARollupOfNothingIsNothing(t *testing.T) {
	t.Parallel()
	a := Aggregate{Figures: []Figure{{Measure: Count}}, By: []Field{Record(RecordName)}, Step: 5, Rollup: &Rollup{Top: 3, Series: 10}}
	got, err := a.Answer((&stored{}).ask)
	require.NoError(t, err)
	require.Empty(t, got)
}

// What a store cannot answer is not answered in part.
func TestARollupWithTooManyGroupsIsRefused(t *testing.T) {
	t.Parallel()
	s := &stored{spans: []evaluated{{span: span.Span{Start: 1, Name: "a"}}, {span: span.Span{Start: 2, Name: "b"}}}}
	for _, step := range []time.Duration{0, 1} {
		a := Aggregate{To: 9, Limit: 1, Figures: []Figure{{Measure: Count}}, By: []Field{Record(RecordName)}, Step: step, Rollup: &Rollup{Top: 3, Series: 1}}
		_, err := a.Answer(s.ask)
		require.Equal(t, fault.Invalid, fault.KindOf(err))
		require.Contains(t, fault.Message(err), "more than 1 groups")
	}
}
