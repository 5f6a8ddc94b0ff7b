// SPDX-License-Identifier: Apache-2.0

// Package usage tells benchmarks what their process has used.
package usage

import (
	"time"

	"golang.org/x/sys/unix"
)

// CPUTime returns the time of processors that the process has used, of user and system.
func CPUTime() time.Duration {
	used := of()
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// PeakMemory returns the largest resident size of the process so far, in bytes, where the
// system counts in KiB.
func PeakMemory() int64 {
	return int64(of().Maxrss) << 10 //nolint:unconvert // the type differs between systems
}

func of() (used unix.Rusage) {
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil { // of one's own process it is always told
		panic(err)
	}
	return used
}
