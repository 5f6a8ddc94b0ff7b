// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"errors"
	"io/fs"
	"os"
	"slices"
)

// Protect keeps the partition's files from other users, should the directory be
// opened to them.
func (p *Partition) Protect() error {
	err := os.Chmod(p.Path, 0o600)
	if werr := os.Chmod(p.Path+walSuffix, 0o600); werr != nil && !errors.Is(werr, fs.ErrNotExist) {
		err = errors.Join(err, werr)
	}
	return err
}

// LogSize returns the size of the partition's log in bytes, 0 if it has none.
func (p *Partition) LogSize() int64 {
	st, err := os.Stat(p.Path + walSuffix)
	if err != nil {
		return 0
	}
	return st.Size()
}

// removeFiles removes the partition's file, what stands beside it, and its log.
func (p *Partition) removeFiles() error {
	for _, suffix := range append(slices.Clone(besideSuffixes), "", walSuffix) {
		if err := os.Remove(p.Path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Size returns the size of the partition's file and its log in bytes.
func (p *Partition) Size() (int64, error) {
	st, err := os.Stat(p.Path)
	if err != nil {
		return 0, err
	}
	return st.Size() + p.LogSize(), nil
}
