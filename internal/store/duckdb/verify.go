// SPDX-License-Identifier: Apache-2.0

package duckdb

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

// Verified is what Verify found of one file: see partitions.Verified.
type Verified = partitions.Verified

// States of a file.
const (
	Sound         = partitions.Sound
	Damaged       = partitions.Damaged
	UnknownFormat = partitions.UnknownFormat
)

// Verify reads every block of every file of spans of a store, and changes none. While
// a process has the store open the answer is Unavailable.
func Verify(ctx context.Context, dir string) (list []Verified, err error) {
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
