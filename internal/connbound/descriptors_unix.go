// SPDX-License-Identifier: Apache-2.0

//go:build unix

package connbound

import (
	"math"

	"golang.org/x/sys/unix"
)

// descriptors returns how many files and connections the process may have open.
func descriptors() uint64 {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return math.MaxUint64
	}
	return uint64(limit.Cur) //nolint:unconvert // it is signed on FreeBSD
}
