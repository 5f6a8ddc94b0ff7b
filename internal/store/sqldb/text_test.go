// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func FuzzTextIsKeptExactly(f *testing.F) {
	for _, s := range []string{"", "plain", "\x00", "\xff", `\`, `\x00`, "a\xe2\x82b", "�", `\\x`} {
		f.Add(s, s+"x")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		kept := text(a).escape()
		require.True(t, utf8.ValidString(kept))
		require.False(t, strings.ContainsRune(kept, 0))
		require.Equal(t, a == b, kept == text(b).escape())
		var back text
		require.NoError(t, back.Scan(kept))
		require.Equal(t, text(a), back)
		doc, err := json.Marshal(text(a))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(doc, &back))
		require.Equal(t, text(a), back)
		_ = back.Scan([]byte(a)) // anything: an error or not, no panic
	})
}
