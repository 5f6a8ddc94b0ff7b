// SPDX-License-Identifier: Apache-2.0

package query

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestPositionsAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	for _, p := range []Position{
		{},
		{Start: -1},
		{Start: 1 << 62, TraceID: span.TraceID{1, 15: 255}, SpanID: span.ID{7: 9}},
		{Number: math.MaxInt64},
		{Real: math.Inf(-1)},
		{Text: "naïve \x00\xff"},
		{Text: "a", Setup: "b", Evaluator: "c", Output: strings.Repeat("d", 300)},
	} {
		text, err := p.MarshalText()
		require.NoError(t, err)
		var got Position
		require.NoError(t, got.UnmarshalText(text))
		require.Equal(t, p, got)
	}
}

func FuzzPosition(f *testing.F) {
	text, _ := Position{Start: 17, TraceID: span.TraceID{1}, SpanID: span.ID{2}}.MarshalText()
	f.Add(string(text))
	for _, text := range []string{"", ".", "17", "Aw", "AwAAAAAAAAAR\n", "AwAAAAAAAAAR==", "\x00\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var p Position
		if err := p.UnmarshalText([]byte(text)); err != nil {
			requireRefused(t, err, "position")
			require.Equal(t, Position{}, p)
			return
		}
		again, err := p.MarshalText()
		require.NoError(t, err)
		require.Equal(t, text, string(again), "one position has one text")
	})
}
