// SPDX-License-Identifier: Apache-2.0

// Package verify reads a store of spans whose process does not run.
package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// File is what Verify found of one file: see partitions.Verified.
type File = partitions.Verified

// States of a file.
const (
	Sound         = partitions.Sound
	Damaged       = partitions.Damaged
	UnknownFormat = partitions.UnknownFormat
)

// Store reads every block of every file of spans of a store, and changes none. While
// a process has the store open the answer is Unavailable.
func Store(ctx context.Context, dir string) (list []File, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if st, err := os.Stat(filepath.Join(dir, instance.PartitionDir)); err != nil || !st.IsDir() {
		return nil, fmt.Errorf("%s has no store of spans", dir)
	}
	lock, err := instance.LockDirectory(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	return partitions.Verify(ctx, dir, tables.KnownFormats())
}
