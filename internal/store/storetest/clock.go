// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// Stepped returns a time after the wall clock was set by d, which the monotonic clock
// does not see. Nothing but a real step makes such times, so this one is written into
// the representation: seconds since 1885 in bits 30 to 62 of the first word.
// https://go.dev/src/time/time.go
func Stepped(t *testing.T, at time.Time, d time.Duration) time.Time {
	t.Helper()
	moved := at
	*(*uint64)(unsafe.Pointer(&moved)) += uint64(int64(d/time.Second)) << 30
	require.Equal(t, d, time.Duration(moved.UnixNano()-at.UnixNano()))
	require.Zero(t, moved.Sub(at), "by the monotonic clock it is the same time")
	return moved
}
