// SPDX-License-Identifier: Apache-2.0

package fair

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
)

// The lease holds what the buffer has room for, and at least what was read, at each moment.
func TestReadAllHoldsWhatItReads(t *testing.T) {
	t.Parallel()
	const most = 5 << 20
	text := strings.Repeat("x", most)
	b := NewBudget(64<<20, time.Millisecond, nil)
	for _, n := range []int{0, 1, firstUnknown, firstKnown - 1, firstKnown, firstKnown + 1, most} {
		for _, size := range []int64{-1, int64(n)} {
			l := b.Lease("acme")
			from := iotest.OneByteReader(strings.NewReader(text[:n%100]))
			got, err := ReadAll(t.Context(), l, io.MultiReader(from, strings.NewReader(text[n%100:n])), size, most)
			require.NoError(t, err)
			require.Len(t, got, n)
			require.EqualValues(t, cap(got), l.Held())
			l.Release()
			got, err = ReadAll(t.Context(), nil, strings.NewReader(text[:n]), size, most)
			require.NoError(t, err, "memory that is held already")
			require.Len(t, got, n)
		}
	}
	require.Zero(t, b.InUse())
}

func TestReadAllEnds(t *testing.T) {
	t.Parallel()
	b := NewBudget(1<<20, time.Millisecond, nil)
	l := b.Lease("acme")
	text := bytes.Repeat([]byte("x"), 1<<20)
	for _, size := range []int64{-1, 100, 1000} {
		_, err := ReadAll(t.Context(), l, bytes.NewReader(text[:1000]), size, 999)
		require.ErrorIs(t, err, ErrTooLarge, size)
	}
	_, err := ReadAll(t.Context(), l, bytes.NewReader(text), -1, 1<<20)
	require.ErrorIs(t, err, ErrFull, "what was read and its copy do not fit")
	broken := errors.New("broken")
	_, err = ReadAll(t.Context(), l, iotest.ErrReader(broken), -1, 1)
	require.ErrorIs(t, err, broken)
	l.Release()
	require.Zero(t, b.InUse())
}
