// SPDX-License-Identifier: Apache-2.0

package textcut_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/textcut"
)

func TestBytes(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text string
		n    int
		want string
	}{
		{"", 0, ""},
		{"", 3, ""},
		{"abc", 3, "abc"},
		{"abc", 2, "ab"},
		{"abc", 0, ""},
		{"abc", -1, ""},
		{"né", 3, "né"},
		{"né", 2, "n"},
		{"né", 1, "n"},
		{"€", 2, ""},
		{"€", 1, ""},
		{"a😀b", 4, "a"},
		{"a😀b", 5, "a😀"},
		{strings.Repeat("\x80", 10), 9, strings.Repeat("\x80", 5)},
	} {
		require.Equal(t, row.want, textcut.Bytes(row.text, row.n), "%q %d", row.text, row.n)
	}
}

func TestCharacters(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text string
		n    int
		want string
		more bool
	}{
		{"", 0, "", false}, {"a", 0, "", true}, {"a", -1, "", true}, {"né", 2, "né", false}, {"né", 1, "n", true}, {"a😀b", 2, "a😀", true},
	} {
		beginning, more := textcut.Characters(row.text, row.n)
		require.Equal(t, row.want, beginning, "%q %d", row.text, row.n)
		require.Equal(t, row.more, more, "%q %d", row.text, row.n)
	}
}

func FuzzCuts(f *testing.F) {
	f.Add("né €😀", 3)
	f.Fuzz(func(t *testing.T, text string, n int) {
		cut := textcut.Bytes(text, n)
		require.LessOrEqual(t, len(cut), max(n, 0))
		require.True(t, strings.HasPrefix(text, cut))
		beginning, more := textcut.Characters(text, n)
		require.LessOrEqual(t, utf8.RuneCountInString(beginning), max(n, 0))
		require.Equal(t, beginning != text, more)
		if utf8.ValidString(text) {
			require.True(t, utf8.ValidString(cut))
			require.Greater(t, len(cut)+utf8.UTFMax, min(len(text), max(n, 0)))
		}
	})
}
