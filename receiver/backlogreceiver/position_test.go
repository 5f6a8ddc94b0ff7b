// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestPositionsAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	for _, p := range []span.Position{
		{}, {Number: -1}, {Number: 1 << 62, TraceID: span.TraceID{1, 15: 255}, SpanID: span.ID{7: 9}},
	} {
		got, err := unspell(spell(&p))
		require.NoError(t, err)
		require.Equal(t, p, *got)
	}
	none, err := unspell("")
	require.NoError(t, err)
	require.Nil(t, none)
}

func FuzzPosition(f *testing.F) {
	f.Add(spell(&span.Position{Number: 17, TraceID: span.TraceID{1}, SpanID: span.ID{2}}))
	for _, text := range []string{"", ".", "..", "1..", "+1.00.00", "1.\x00.\xff", "9223372036854775808.0.0", "1.2.3.4"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := unspell(text)
		if err != nil || p == nil {
			require.True(t, err != nil || text == "")
			return
		}
		require.Equal(t, text, spell(p), "one place has one text")
	})
}
