// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// Took returns the time of processors that a function used, where it starts no goroutine:
// a busy machine does not change it.
func Took(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := of(unix.RUSAGE_THREAD)
	f()
	after := of(unix.RUSAGE_THREAD)
	return time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
}
