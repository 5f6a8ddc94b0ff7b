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
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/journal"
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
	list, err = partitions.Verify(ctx, dir, tables.KnownFormats())
	if err != nil {
		return nil, err
	}
	return withJournal(list, filepath.Join(dir, journal.Name))
}

// withJournal adds what a journal has, if it has anything: that was not committed yet. Of a
// damaged one it counts what can be read.
func withJournal(list []File, path string) ([]File, error) {
	found, err := journal.Read(path)
	v := File{Path: path, State: Sound, Spans: found.Spans(), Readable: found.Spans()}
	switch {
	case errors.Is(err, journal.ErrFormat):
		v.State, v.Problem = UnknownFormat, err.Error()
	case err != nil:
		return nil, err
	case found.Damage != nil:
		v.State, v.Problem = Damaged, found.Damage.Error()
	case len(found.Batches) == 0:
		return list, nil
	}
	return append(list, v), nil
}
