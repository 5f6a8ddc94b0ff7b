// SPDX-License-Identifier: Apache-2.0

// Package usage returns what tests and benchmarks have used of the machine.
package usage

import (
	"time"

	"golang.org/x/sys/unix"
)

// CPUTime returns the time of processors that the process has used, of user and system.
func CPUTime() time.Duration {
	used := of(unix.RUSAGE_SELF)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// PeakMemory returns the largest resident size of the process so far, in bytes, where the
// system counts in KiB.
func PeakMemory() int64 {
	return int64(of(unix.RUSAGE_SELF).Maxrss) << 10 //nolint:unconvert // the type differs between systems
}

func of(who int) (used unix.Rusage) {
	if err := unix.Getrusage(who, &used); err != nil { // of oneself it is always known
		panic(err)
	}
	return used
}
