// SPDX-License-Identifier: Apache-2.0

package fair

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
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

// connection is one whose client sends a byte after each pause.
type connection struct {
	*httptest.ResponseRecorder
	pause    time.Duration
	deadline time.Time
}

func (c *connection) SetReadDeadline(until time.Time) error {
	c.deadline = until
	return nil
}

func (c *connection) Read(p []byte) (int, error) {
	left := time.Until(c.deadline)
	if time.Sleep(min(c.pause, left)); left <= c.pause {
		return 0, os.ErrDeadlineExceeded
	}
	return copy(p, "x"), nil
}

// A body stops by the time that its reader waits for it, not by the time between.
func TestABodyStopsWhileItIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &connection{httptest.NewRecorder(), time.Second, time.Time{}}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", c)
		b := NewBody(c, r, time.Time{})
		for i := range 5 {
			_, err := b.Read(make([]byte, 10))
			if i == 4 {
				require.ErrorIs(t, err, ErrSlow, "five bytes in five seconds")
				return
			}
			require.NoError(t, err)
			time.Sleep(time.Minute) // unpacking, or waiting for memory
		}
	})
}

func TestAWholeBodyIsNotCopied(t *testing.T) {
	t.Parallel()
	b := []byte("spans")
	got, err := Rest(NewWhole(b))
	require.NoError(t, err)
	require.Same(t, &b[0], &got[0])
	w := NewWhole(b)
	require.NoError(t, iotest.TestReader(w, b))
	got, err = Rest(w)
	require.NoError(t, err)
	require.Empty(t, got, "it was read")
	w = NewWhole(b)
	require.NoError(t, w.Close())
	got, err = io.ReadAll(w)
	require.NoError(t, err)
	require.Empty(t, got)
	got, err = Rest(bytes.NewReader(b))
	require.NoError(t, err)
	require.Equal(t, b, got)
}
