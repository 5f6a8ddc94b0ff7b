// SPDX-License-Identifier: Apache-2.0

//go:build unix

package instance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Lock keeps a directory for one DB: DuckDB's own lock on its file keeps
// other processes out, but not another DB of this process.
type Lock struct{ file *os.File }

// LockDirectory makes the directory of a store, if need be, and locks it until
// Release: see https://man7.org/linux/man-pages/man2/flock.2.html. The error is
// Unavailable while another process has it locked.
func LockDirectory(dir string) (*Lock, error) {
	if err := os.MkdirAll(filepath.Join(dir, PartitionDir), 0o700); err != nil {
		return nil, fmt.Errorf("make span store: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "LOCK"), os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the configured directory
	if err != nil {
		return nil, fmt.Errorf("lock span store: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return &Lock{file: f}, nil
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = inUse(dir, err)
	}
	return nil, errors.Join(err, f.Close())
}

// Release unlocks the directory. To close the file would not do while a process that is
// being started has its descriptor, too.
func (l *Lock) Release() error {
	return errors.Join(syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN), l.file.Close())
}
