// SPDX-License-Identifier: Apache-2.0

//go:build unix

package duckdb

import (
	"syscall"
	"time"
)

// cpuTime returns the CPU time that this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakMemory returns the largest resident size of this process so far, in bytes,
// where the system counts in KiB.
func peakMemory() int64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return int64(u.Maxrss) << 10 //nolint:unconvert // the type differs between systems
}
