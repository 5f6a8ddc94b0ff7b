// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"sync/atomic"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
)

// taken counts what is written.
type taken struct {
	spans, evaluations, refused atomic.Int64
}

// note counts a batch that was written, or was not. One that its writer gave up
// is not counted.
func (t *taken) note(b *store.Batch, err error) {
	spans := int64(len(b.Records))
	switch {
	case err == nil:
		evaluations := int64(0)
		for i := range b.Records {
			evaluations += int64(len(b.Records[i].Evaluations))
		}
		for i := range b.Evaluations {
			evaluations += int64(len(b.Evaluations[i].Evaluations))
		}
		t.spans.Add(spans)
		t.evaluations.Add(evaluations)
	case !errors.Is(err, context.Canceled):
		t.refused.Add(spans)
	}
}

// Intake returns what was written through this process since it began.
func (e *storeExtension) Intake() store.Intake {
	t := &e.taken
	return store.Intake{Spans: t.spans.Load(), Evaluations: t.evaluations.Load(), Refused: t.refused.Load()}
}

// Space returns what spans take of the disk; nil where a server keeps them.
func (e *storeExtension) Space() (*store.Space, error) {
	if e.cfg.Spans.duckDB() == nil {
		return nil, nil //nolint:nilnil // as the port says
	}
	dir := filepath.Join(e.cfg.Directory, spansDirectory)
	files, err := duckdb.CountPartitions(dir)
	if err != nil {
		return nil, err
	}
	free, err := duckdb.FreeBytes(dir)
	if err != nil {
		return nil, err
	}
	bytes, err := sizeOf(dir)
	if err != nil {
		return nil, err
	}
	return &store.Space{Files: int64(files), Bytes: bytes, Free: free}, nil
}

// sizeOf returns the bytes of all files below a directory. Those that go while it
// looks do not count.
func sizeOf(dir string) (int64, error) {
	bytes := int64(0)
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	return bytes, err
}
