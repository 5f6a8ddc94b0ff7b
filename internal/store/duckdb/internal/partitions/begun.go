// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"errors"
	"io/fs"
	"os"
)

// begunSuffix ends the name of an empty file beside that of a partition while it is
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
