// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
)

// List returns the partitions in a store's directory by serial. It removes what a
// crash left of files that were being made, and files that were never more than
// begun.
func List(dir string) ([]*Partition, error) {
	if err := removeUnfinished(filepath.Join(dir, instance.PartitionDir)); err != nil {
		return nil, err
	}
	files, err := os.ReadDir(filepath.Join(dir, instance.PartitionDir))
	if err != nil {
		return nil, err
	}
	var found []*Partition
	for _, f := range files {
		name, isFile := strings.CutSuffix(f.Name(), labelFile)
		l, ok := parseLabel(name)
		if !isFile || !ok {
			continue
		}
		p := New(dir, l)
		if unborn(p.Path) {
			if err := os.Remove(p.Path); err != nil {
				return nil, err
			}
			continue
		}
		found = append(found, p)
	}
	slices.SortFunc(found, func(a, b *Partition) int { return int(a.Serial - b.Serial) })
	return found, nil
}

// unborn reports whether a file was cut off while it was being made: it is
// shorter than the headers, so nothing was ever committed to it.
func unborn(path string) bool {
	const headers = 3 * 4096
	st, err := os.Stat(path)
	if err != nil || st.Size() >= headers {
		return false
	}
	_, err = os.Stat(path + walSuffix)
	return errors.Is(err, os.ErrNotExist)
}

// removeUnfinished removes what a crash left of copies, summaries and files of keys
// that were being made.
func removeUnfinished(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		unfinished := strings.Contains(f.Name(), labelFile+copySuffix) ||
			strings.Contains(f.Name(), labelFile+summarySuffix+"-") || strings.Contains(f.Name(), labelFile+keysSuffix+"-")
		if !unfinished {
			continue
		}
		if err := os.Remove(filepath.Join(dir, f.Name())); err != nil {
			return err
		}
	}
	return nil
}
