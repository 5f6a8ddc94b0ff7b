// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/label"
)

// besideSuffixes are those of the files that describe a partition, next to its own
// file, and can be made again from it.
var besideSuffixes = []string{summarySuffix, keysSuffix}

// Backup copies the file of a held partition, and its companion files, durably into
// a directory, and reports whether it did: not if a call uses the file for longer
// than patience. Meanwhile no other call uses it. Changes is the number of its changes
// that the copy has.
func (f *Files) Backup(ctx context.Context, p *Partition, dir string, patience time.Duration) (changes int64, done bool, err error) {
	if err := f.emptyLog(ctx, p); err != nil {
		return 0, false, err
	}
	open, alone := p.shutOut(patience)
	if !alone {
		return 0, false, nil
	}
	defer open()
	if p.IsAttached() {
		// Closed, it has no log, and no one changes it. A file that is open must not
		// be opened outside DuckDB: closing it again would end DuckDB's lock of it.
		if err := f.with(ctx, func(q *Querier) error { return f.shut(ctx, q, p) }); err != nil {
			return 0, false, err
		}
		f.attached.drop(p)
	}
	if p.LogSize() > 0 {
		return 0, false, errors.New("a file that was closed has a log")
	}
	if err := f.blame(p, p.isAsClosed()); err != nil {
		return 0, false, err
	}
	changes = p.Changes()
	for _, suffix := range append([]string{""}, besideSuffixes...) {
		err := copyFile(ctx, p.Path+suffix, dir)
		if suffix != "" && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, false, err
		}
	}
	return changes, true, nil
}

// emptyLog works the log of a partition into its file, if that can be done just now.
func (f *Files) emptyLog(ctx context.Context, p *Partition) error {
	p.pin()
	defer p.Unpin()
	if !p.IsAttached() || p.LogSize() == 0 {
		return nil
	}
	_, err := f.instance.Pool.ExecContext(ctx, "CHECKPOINT "+p.Alias())
	if instance.Busy(err) {
		return nil
	}
	return f.blame(p, err)
}

// RemoveBackup removes what Backup made of a partition in a directory.
func RemoveBackup(l label.Label, dir string) error {
	return (&Partition{Path: filepath.Join(dir, l.String()+label.File)}).removeFiles()
}

// copyFile copies a file into a directory, durably and with the time of its last
// change, by which a summary knows it. Where the file system can, the copy shares its
// blocks: https://pkg.go.dev/os#File.ReadFrom.
func copyFile(ctx context.Context, path, dir string) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	from, err := os.Open(path) //nolint:gosec // a file of the store
	if err != nil {
		return err
	}
	defer from.Close() //nolint:errcheck // it was only read
	st, err := from.Stat()
	if err != nil {
		return err
	}
	name := filepath.Join(dir, filepath.Base(path))
	to, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // below the operator's directory
	if err != nil {
		return err
	}
	n, err := io.Copy(to, from)
	if err == nil && n != st.Size() {
		err = fmt.Errorf("%s has changed while it was copied", filepath.Base(path))
	}
	if err == nil {
		err = to.Sync()
	}
	err = errors.Join(err, to.Close())
	if err == nil {
		err = os.Chtimes(name, st.ModTime(), st.ModTime())
	}
	return err
}
