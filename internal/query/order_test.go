// SPDX-License-Identifier: Apache-2.0

package query

import (
	"cmp"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestPositionByAVerdict(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"12": 12, "-0.5": -0.5, "+.5e2": 50, "5.": 5, "1e+21": 1e21, "9223372036854775807": math.MaxInt64, "1e-400": 0, "4.9e-324": math.SmallestNonzeroFloat64,
		"false": 0, "true": 1,
		"": math.Inf(-1), "True": math.Inf(-1), "NaN": math.Inf(-1), "+Inf": math.Inf(-1), "inf": math.Inf(-1), "1e999": math.Inf(-1),
		"-1e999": math.Inf(-1), "0x1p4": math.Inf(-1), "1_000": math.Inf(-1), " 1": math.Inf(-1), "1 ": math.Inf(-1), "1\x00": math.Inf(-1),
		"e": math.Inf(-1), ".": math.Inf(-1), "1e": math.Inf(-1), "１": math.Inf(-1), "positive": math.Inf(-1),
	} {
		s := span.Span{TraceID: span.TraceID{1}, SpanID: span.ID{2}, Attributes: span.NewAttributes([]span.Attribute{
			{Key: "evaluation.tone.score", Value: text}, {Key: "evaluation.tone.scores", Value: "7"},
		})}
		require.Equal(t, Position{Real: want, TraceID: s.TraceID, SpanID: s.SpanID},
			Order{By: SortEvaluation, Slug: "tone", Output: "score"}.Position(&s), "%q", text)
		require.True(t, math.IsInf(Order{By: SortEvaluation, Slug: "tone", Output: "none"}.Position(&s).Real, -1))
	}
}

func TestPositionOfEachKeyHasItsValueAlone(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", SortedText)
	s := span.Span{
		TraceID: span.TraceID{1}, SpanID: span.ID{2}, Start: 3, Duration: 4, TotalTokens: 5,
		Name: long + "x", Workflow: "w", Entity: "e", ResponseModel: "m\xff",
	}
	for key, want := range map[SortKey]Position{
		SortTimestamp: {Start: 3}, SortDuration: {Number: 4}, SortTotalTokens: {Number: 5}, SortTraceID: {},
		SortName: {Text: long}, SortWorkflow: {Text: "w"}, SortEntity: {Text: "e"}, SortResponseModel: {Text: "m\xff"},
		SortEvaluation: {Real: math.Inf(-1)},
	} {
		want.TraceID, want.SpanID = s.TraceID, s.SpanID
		require.Equal(t, want, Order{By: key, Descending: true}.Position(&s), key)
	}
}

// Each list is in ascending order; places of one row of the table are one place.
func TestOrdersCompare(t *testing.T) {
	t.Parallel()
	first, second := span.TraceID{1}, span.TraceID{1, 15: 1}
	for key, list := range map[SortKey][]Position{
		SortTimestamp: {
			{Start: -1, TraceID: second},
			{TraceID: first, SpanID: span.ID{1}},
			{TraceID: first, SpanID: span.ID{0xff}},
			{TraceID: second, SpanID: span.ID{0}},
			{TraceID: span.TraceID{0xff}},
			{Start: 1},
			{Start: math.MaxInt64},
		},
		SortDuration:    {{Number: 0, TraceID: second}, {Number: 9, TraceID: first}, {Number: 10}, {Number: 10, SpanID: span.ID{1}}},
		SortTotalTokens: {{Number: span.NoTokens, TraceID: second}, {Number: 0}, {Number: 0, TraceID: first}},
		SortName:        {{TraceID: second}, {Text: "A"}, {Text: "A", TraceID: first}, {Text: "AA"}, {Text: "a"}, {Text: "é"}, {Text: "\U0001F600"}},
		SortTraceID:     {{}, {TraceID: first}, {TraceID: first, SpanID: span.ID{7: 1}}, {TraceID: second}},
		SortEvaluation:  {{Real: math.Inf(-1), TraceID: second}, {Real: -1}, {Real: 0}, {Real: 0, SpanID: span.ID{1}}, {Real: 0.5}, {Real: 9}, {Real: 10}},
	} {
		up, down := Order{By: key}, Order{By: key, Descending: true}
		for i := range list {
			for j := range list {
				require.Equal(t, cmp.Compare(i, j), up.Compare(&list[i], &list[j]), "%s %d %d", key, i, j)
				require.Equal(t, cmp.Compare(j, i), down.Compare(&list[i], &list[j]), "%s %d %d", key, i, j)
			}
		}
	}
}
