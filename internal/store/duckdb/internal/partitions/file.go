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

// removeFiles removes the partition's file, its companion files, and its log.
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

// begunSuffix ends the name of an empty file next to that of a partition while it is
// being made. With it a file that is too short to have ever held anything was cut
// off by a crash; without it one that did was damaged.
const begunSuffix = ".begun"

// begin notes that the partition's file is about to be made.
func (p *Partition) begin() error { return os.WriteFile(p.Path+begunSuffix, nil, 0o600) }

// begun notes that the file is made.
func (p *Partition) begun() error {
	err := os.Remove(p.Path + begunSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// removeUnborn removes a file that was cut off while it was being made, so that
// nothing was ever committed to it, and reports whether it was one.
func (p *Partition) removeUnborn() (bool, error) {
	if _, err := os.Lstat(p.Path + begunSuffix); err != nil {
		return false, nil //nolint:nilerr // it is not being made
	}
	st, err := os.Stat(p.Path)
	if err != nil || st.Size() >= headerBytes || p.LogSize() > 0 {
		return false, err
	}
	return true, errors.Join(p.removeFiles(), p.begun())
}
