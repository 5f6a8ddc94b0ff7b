// SPDX-License-Identifier: Apache-2.0

//go:build unix

package npmpack

import (
	"os"
	"syscall"
)

// lock waits until no other process has the lock, and returns what gives it up.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		_ = f.Close()
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}
