// SPDX-License-Identifier: Apache-2.0

package durable

import (
	"errors"
	"os"
	"syscall"
)

// Data makes what was written to an open file durable, and its size, but not its times:
// fdatasync(2).
func Data(f *os.File) error {
	for {
		err := syscall.Fdatasync(int(f.Fd()))
		if !errors.Is(err, syscall.EINTR) {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
