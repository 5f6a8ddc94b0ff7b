// SPDX-License-Identifier: Apache-2.0

// Package durable makes what is written to a file system outlast a loss of power:
// fsync(2) says what each call promises.
package durable

import (
	"errors"
	"os"
)

// File makes what is in the file at path durable. Its name needs Directory.
func File(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0) //nolint:gosec // the caller's own file
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Directory makes the names in a directory durable: of files that were made, renamed
// and removed there.
func Directory(path string) error {
	d, err := os.Open(path) //nolint:gosec // the caller's own directory
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
