// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package usage

import "time"

// Took returns the time that a function took: not every system counts that of a thread.
func Took(f func()) time.Duration {
	begun := time.Now()
	f()
	return time.Since(begun)
}
