// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package instance

import (
	"fmt"
	"os"
	"path/filepath"
)

// Lock does nothing here: DuckDB's own lock on its file keeps others out.
type Lock struct{}

// LockDirectory makes the directory of a store, if need be.
func LockDirectory(dir string) (*Lock, error) {
	if err := os.MkdirAll(filepath.Join(dir, PartitionDir), 0o700); err != nil {
		return nil, fmt.Errorf("make span store: %w", err)
	}
	return &Lock{}, nil
}

// Release does nothing.
func (*Lock) Release() error { return nil }
