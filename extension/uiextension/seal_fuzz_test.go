// SPDX-License-Identifier: Apache-2.0

package uiextension

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzOpen opens cookies. Nothing opens that was not sealed, for another cookie
// neither, and what is in a seal is read whatever it is.
func FuzzOpen(f *testing.F) {
	s, err := newSealer([]byte("a secret of all processes"))
	require.NoError(f, err)
	sound, fits := s.seal("cookie", &session{ID: "i", Made: 1, Ends: 2, Page: []byte{3}, Credentials: []credential{{Environment: "e", Key: "k"}}})
	require.True(f, fits)
	for _, value := range []string{sound, sound[1:], sound + "A", "", "=", `{"i":"x"}`} {
		f.Add(value, []byte(`{"i":"x","m":1,"e":2,"p":"AQ==","c":[{"e":"x","k":"y"}]}`))
	}
	f.Fuzz(func(t *testing.T, value string, plain []byte) {
		x, ok := s.open("cookie", value)
		require.Equal(t, ok, x != nil)
		if ok { // of this process, or of another that fuzzes
			require.Equal(t, &session{ID: "i", Made: 1, Ends: 2, Page: []byte{3}, Credentials: []credential{{Environment: "e", Key: "k"}}}, x)
		}
		_, ok = s.open("another", value)
		require.False(t, ok)

		inside := base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, plain, []byte("cookie")))
		if x, ok := s.open("cookie", inside); ok {
			_, _ = x.credential("")
			again, _ := s.seal("cookie", x)
			same, ok := s.open("cookie", again)
			require.Equal(t, len(again) <= maxCookie, ok)
			if ok {
				require.Equal(t, x.ID, same.ID)
				require.Len(t, same.Credentials, len(x.Credentials))
			}
		}
	})
}
