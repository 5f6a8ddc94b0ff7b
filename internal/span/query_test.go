// SPDX-License-Identifier: Apache-2.0

package span

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
		s := Span{TraceID: TraceID{1}, SpanID: ID{2}, Attributes: NewAttributes([]Attribute{
			{Key: "evaluation.tone.score", Value: text}, {Key: "evaluation.tone.scores", Value: "7"},
		})}
		require.Equal(t, Position{Real: want, TraceID: s.TraceID, SpanID: s.SpanID},
			PositionOf(&s, Order{By: SortEvaluation, Slug: "tone", Output: "score"}), "%q", text)
		require.True(t, math.IsInf(PositionOf(&s, Order{By: SortEvaluation, Slug: "tone", Output: "none"}).Real, -1))
	}
}

func TestPositionOfEachKeyHasItsValueAlone(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", SortedText)
	s := Span{
		TraceID: TraceID{1}, SpanID: ID{2}, Start: 3, Duration: 4, TotalTokens: 5,
		Name: long + "x", Workflow: "w", Entity: "e", ResponseModel: "m\xff",
	}
	for key, want := range map[SortKey]Position{
		SortTimestamp: {Number: 3}, SortDuration: {Number: 4}, SortTotalTokens: {Number: 5}, SortTraceID: {},
		SortName: {Text: long}, SortWorkflow: {Text: "w"}, SortEntity: {Text: "e"}, SortResponseModel: {Text: "m\xff"},
		SortEvaluation: {Real: math.Inf(-1)},
	} {
		want.TraceID, want.SpanID = s.TraceID, s.SpanID
		require.Equal(t, want, PositionOf(&s, Order{By: key}), key)
		require.Equal(t, want.Number != 0, key.Numeric(), key)
	}
}
