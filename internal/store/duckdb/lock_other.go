// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package duckdb

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// lock does nothing here: the engine's own lock on its file keeps others out.
type lock struct{}

func lockDirectory(dir string) (*lock, error) {
	if err := os.MkdirAll(filepath.Join(dir, partitionDir), 0o700); err != nil {
		return nil, fmt.Errorf("make span store: %w", err)
	}
	return &lock{}, nil
}

func (*lock) release() error { return nil }

func inUse(dir string, cause error) error {
	return fault.Wrap(fault.Unavailable, cause, "span store %s is in use by another process", dir)
}
