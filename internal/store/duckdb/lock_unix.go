// SPDX-License-Identifier: Apache-2.0

//go:build unix

package duckdb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// lock keeps a directory for one DB: the engine's own lock on its file keeps
// other processes out, but not another DB of this process.
type lock struct{ file *os.File }

func lockDirectory(dir string) (*lock, error) {
	if err := os.MkdirAll(filepath.Join(dir, partitionDir), 0o700); err != nil {
		return nil, fmt.Errorf("make span store: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "LOCK"), os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the configured directory
	if err != nil {
		return nil, fmt.Errorf("lock span store: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return &lock{file: f}, nil
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = inUse(dir, err)
	}
	return nil, errors.Join(err, f.Close())
}

func (l *lock) release() error { return l.file.Close() }

func inUse(dir string, cause error) error {
	return fault.Wrap(fault.Unavailable, cause, "span store %s is in use by another process", dir)
}
