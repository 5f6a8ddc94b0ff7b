// SPDX-License-Identifier: Apache-2.0

package uiextension

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSeal(t *testing.T) {
	t.Parallel()
	s, err := newSealer(bytes.Repeat([]byte{1}, 32))
	require.NoError(t, err)
	x := &session{ID: "id", Made: 1, Ends: 2, Credentials: []credential{{Environment: "e", Key: "tl_secret"}}}
	value, fits := s.seal("name", x)
	require.True(t, fits)
	require.NotContains(t, value, "tl_")
	again, _ := s.seal("name", x)
	require.NotEqual(t, value, again, "nonces differ")
	opened, ok := s.open("name", value)
	require.True(t, ok)
	require.Equal(t, x, opened)

	_, ok = s.open("another", value)
	require.False(t, ok)
	for i := range len(value) - 1 { // the last character has bits that mean nothing
		changed := []byte(value)
		if changed[i] = 'A'; value[i] == 'A' {
			changed[i] = 'B'
		}
		_, ok := s.open("name", string(changed))
		require.False(t, ok, i)
	}
	for _, wrong := range []string{"", "x", value[:len(value)-2], value + "AA", strings.Repeat("A", maxCookie+1), "ключ"} {
		_, ok = s.open("name", wrong)
		require.False(t, ok, wrong)
	}
	other, err := newSealer(bytes.Repeat([]byte{2}, 32))
	require.NoError(t, err)
	_, ok = other.open("name", value)
	require.False(t, ok)

	x.Credentials[0].Key = strings.Repeat("k", maxCookie)
	_, fits = s.seal("name", x)
	require.False(t, fits)
}

func TestSignedOutSessionsAreBounded(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	e := newEnded(func() time.Time { return now })
	of := func(id, owner string) *session {
		return &session{ID: id, Ends: 2000, Credentials: []credential{{Environment: owner}}}
	}
	for i := range maxEndedEach {
		require.False(t, e.full("a"))
		e.add(of(fmt.Sprint(i), "a"))
		e.add(of(fmt.Sprint(i), "a"))
	}
	require.True(t, e.full("a"))
	require.False(t, e.full("b"))
	require.True(t, e.has(of("0", "a")))

	// One more of an environment that is full: the one made first is forgotten, and no
	// session of its environments made before it counts any more.
	oldest, more := of("oldest", "b"), of("more", "b")
	oldest.Made, oldest.Credentials = 500, append(oldest.Credentials, credential{Environment: "c"})
	more.Made = 700
	e.add(oldest)
	for i := range maxEndedEach {
		one := of(fmt.Sprint("b", i), "b")
		one.Made = 600
		e.add(one)
	}
	require.Len(t, e.owners["b"], maxEndedEach)
	require.True(t, e.has(oldest))
	require.False(t, e.has(more))
	for _, owner := range []string{"b", "c"} {
		other := of("other", owner)
		require.True(t, e.has(other), owner)
		other.Made = 501
		require.False(t, e.has(other), owner)
	}

	now = time.Unix(2000, 0)
	require.False(t, e.full("a"), "they have ended by themselves")
	require.Empty(t, e.sessions)
	require.Empty(t, e.owners)
	require.Empty(t, e.before)
}
