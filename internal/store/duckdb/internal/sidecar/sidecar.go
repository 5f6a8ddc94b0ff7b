// SPDX-License-Identifier: Apache-2.0

// Package sidecar reads and writes the small files next to that of a partition, which
// say of it what it would take long to find out.
package sidecar

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// maxBytes is how long such a file may be.
const maxBytes = 64 << 20

var errTooLong = errors.New("the file is longer than any that was written")

// Write writes a file, whole or not at all. It may be lost in a crash, or found with
// other contents after one: a caller that reads it needs a digest in it, and makes it again
// from the partition.
func Write(path string, contents []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(contents)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// Read returns the contents of a file, or an error if it is not there or longer than
// maxBytes.
func Read(path string) ([]byte, error) {
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	contents, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(contents) > maxBytes {
		return nil, errTooLong
	}
	return contents, nil
}
