// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/label"
)

// List returns the partitions in a store's directory by serial. It removes what a
// crash left of files that were being made, and files that were never more than
// begun.
func List(dir string) ([]*Partition, error) {
	if err := removeUnfinished(filepath.Join(dir, instance.PartitionDir)); err != nil {
		return nil, err
	}
	labels, err := labelsIn(dir)
	if err != nil {
		return nil, err
	}
	var found []*Partition
	for _, l := range labels {
		p := New(dir, l)
		unborn, err := p.removeUnborn()
		if err != nil {
			return nil, err
		}
		if !unborn {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b *Partition) int { return int(a.Serial - b.Serial) })
	return found, nil
}

// labelsIn returns the labels of the files of partitions in a store's directory.
func labelsIn(dir string) ([]label.Label, error) {
	files, err := os.ReadDir(filepath.Join(dir, instance.PartitionDir))
	if err != nil {
		return nil, err
	}
	var list []label.Label
	for _, f := range files {
		name, isFile := strings.CutSuffix(f.Name(), label.File)
		if l, ok := label.Parse(name); isFile && ok {
			list = append(list, l)
		}
	}
	return list, nil
}

// CountFiles returns how many files of partitions there are in a store's directory.
func CountFiles(dir string) (int, error) {
	list, err := labelsIn(dir)
	return len(list), err
}

// removeUnfinished removes what a crash left of copies, summaries and files of keys
// that were being made.
func removeUnfinished(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		unfinished := strings.Contains(f.Name(), label.File+copySuffix) ||
			strings.Contains(f.Name(), label.File+summarySuffix+"-") || strings.Contains(f.Name(), label.File+keysSuffix+"-")
		if !unfinished {
			continue
		}
		if err := os.Remove(filepath.Join(dir, f.Name())); err != nil {
			return err
		}
	}
	return nil
}
