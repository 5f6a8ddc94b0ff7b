// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// stepped is a time after the wall clock was set by d, which the monotonic clock does
// not see: d is written into the representation, seconds since 1885 in bits 30 to 62
// of the first word. https://go.dev/src/time/time.go
func stepped(t *testing.T, at time.Time, d time.Duration) time.Time {
	t.Helper()
	moved := at
	*(*uint64)(unsafe.Pointer(&moved)) += uint64(int64(d/time.Second)) << 30
	require.Equal(t, d, time.Duration(moved.UnixNano()-at.UnixNano()))
	require.Zero(t, moved.Sub(at), "by the monotonic clock it is the same time")
	return moved
}

func TestFilesGoByAClockThatIsBelieved(t *testing.T) {
	t.Parallel()
	for _, step := range []time.Duration{time.Hour, 24 * time.Hour} {
		t.Run(step.String(), func(t *testing.T) {
			t.Parallel()
			var d doubtful
			begun := time.Now()
			wall := func(now time.Time) time.Time {
				at, _ := d.at(now)
				return at.Round(0)
			}
			require.Equal(t, begun.Round(0), wall(begun))
			small := stepped(t, begun.Add(time.Minute), 4*time.Minute)
			require.Equal(t, begun.Add(5*time.Minute).Round(0), wall(small), "a time server's step")

			// Set forward by mistake: for an hour nothing goes that would not have gone.
			wrong := stepped(t, small, step)
			at, found := d.at(wrong)
			require.Equal(t, small.Round(0), at.Round(0))
			require.Equal(t, step, found)
			at, found = d.at(wrong.Add(time.Hour - 1))
			require.Equal(t, small.Add(time.Hour-1).Round(0), at.Round(0))
			require.Zero(t, found, "it is told once")

			// Set right again, or back, it is believed at once.
			right := stepped(t, wrong.Add(time.Hour-1), -step)
			require.Equal(t, small.Add(time.Hour-1).Round(0), wall(right))
			back := stepped(t, right, -step)
			require.Equal(t, right.Add(-step).Round(0), wall(back))

			// What stays is right.
			stays := stepped(t, back, step)
			require.Equal(t, back.Round(0), wall(stays))
			require.Equal(t, back.Add(time.Hour).Round(0).Add(step), wall(stays.Add(time.Hour)))
			require.Equal(t, back.Add(time.Hour+1).Round(0).Add(step), wall(stays.Add(time.Hour+1)))
		})
	}
}
