// SPDX-License-Identifier: Apache-2.0

// Package aside keeps damaged files of a store apart from the others.
package aside

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/touchstone-otel/touchstone/internal/durable"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/label"
)

// damagedDir is where damaged files are kept, below a store's directory: a directory
// for each, named by the file, with its companion files. Nothing there is read
// or changed.
const damagedDir = "damaged"

// Move moves a damaged file and its companion files out of the way, durably, and
// returns where to. The file goes first: what a crash leaves of the rest is moved
// at the next start.
func Move(dir string, path string) (to string, err error) {
	// A directory that is gone as a whole, with its disk, may come back.
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return "", err
	}
	base := filepath.Join(dir, damagedDir, strings.TrimSuffix(filepath.Base(path), label.File))
	to = base
	for n := 2; ; n++ {
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			break
		}
		to = fmt.Sprintf("%s~%d", base, n)
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return "", err
	}
	if err := moveAll(path, to); err != nil {
		return "", err
	}
	return to, errors.Join(durable.Directory(to), durable.Directory(filepath.Dir(to)), durable.Directory(filepath.Dir(path)))
}

// moveAll moves a file, if it is there, and then its companion files.
func moveAll(path, to string) error {
	if err := os.Rename(path, filepath.Join(to, filepath.Base(path))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	beside, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	for _, f := range beside {
		if !strings.HasPrefix(f.Name(), filepath.Base(path)+".") {
			continue
		}
		if err := os.Rename(filepath.Join(filepath.Dir(path), f.Name()), filepath.Join(to, f.Name())); err != nil {
			return err
		}
	}
	return nil
}

// File is a damaged file that was moved away.
type File struct {
	label.Label        // the zero one if it is none of a partition
	Path        string // of the directory that it is in now
}

// List returns the files that were moved away in a store's directory.
func List(dir string) ([]File, error) {
	entries, err := os.ReadDir(filepath.Join(dir, damagedDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var list []File
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		name, _, _ := strings.Cut(e.Name(), "~")
		l, _ := label.Parse(name)
		list = append(list, File{Label: l, Path: filepath.Join(dir, damagedDir, e.Name())})
	}
	return list, nil
}

// Finish moves what a crash left of files that were being moved away: a companion
// file without its file would be taken for that of another. It returns
// the largest serial of the files that were moved away, which no other partition may have.
func Finish(dir string) (serial int64, err error) {
	list, err := List(dir)
	if err != nil {
		return 0, err
	}
	for _, a := range list {
		if a.Serial == 0 {
			continue
		}
		serial = max(serial, a.Serial)
		path := filepath.Join(dir, instance.PartitionDir, a.String()+label.File)
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := moveAll(path, a.Path); err != nil {
			return 0, err
		}
	}
	return serial, nil
}

// journalsKept is for how long what is no partition's is kept: the longest retention, and
// a day.
const journalsKept = 31 * 24 * time.Hour

// Expire removes a file that was moved away once all of its spans are past their
// retention.
func Expire(dir string, now time.Time) error {
	list, err := List(dir)
	for _, a := range list {
		until := a.Until().Add(time.Hour + a.Class)
		if a.Serial == 0 {
			st, gone := os.Stat(a.Path)
			if gone != nil {
				continue
			}
			until = st.ModTime().Add(journalsKept)
		}
		if now.Before(until) {
			continue
		}
		err = errors.Join(err, os.RemoveAll(a.Path))
	}
	return err
}
