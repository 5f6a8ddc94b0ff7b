// SPDX-License-Identifier: Apache-2.0

package keyauthextension

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// token is what was in a file: a credential, and the one before it while that
// is still valid.
type token struct {
	tokens   []string
	made     bool // the file was not there
	narrowed bool // others could read the file
}

// checkToken refuses what cannot travel in a header. No error shows the token.
func checkToken(s string) error {
	switch {
	case strings.Trim(s, " ") != s:
		return errors.New("must not begin or end with a space")
	case len(s) > maxCredential:
		return fmt.Errorf("must have at most %d bytes", maxCredential)
	case strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }):
		return errors.New("must be of printable ASCII characters")
	}
	return nil
}

// tokenFile reads the credential in a file, or makes a file with a new one.
func tokenFile(path string) (token, error) {
	t, err := readToken(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return t, err
	}
	fresh := tenant.NewToken()
	err = writeToken(path, fresh)
	if errors.Is(err, fs.ErrExist) {
		return readToken(path) // another process was faster
	}
	return token{tokens: []string{fresh}, made: true}, err
}

func readToken(path string) (token, error) {
	f, err := os.Open(path) //nolint:gosec // the operator names the path
	if err != nil {
		return token{}, err
	}
	defer func() { _ = f.Close() }()
	narrowed, err := narrow(f)
	if err != nil {
		return token{}, err
	}
	b, err := io.ReadAll(io.LimitReader(f, 2*maxCredential+5))
	if err != nil {
		return token{}, err
	}
	tokens := strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n"), "\n")
	switch {
	case tokens[0] == "":
		return token{}, fmt.Errorf("%s is empty: remove it to have a new token made", path)
	case len(tokens) > 2:
		return token{}, fmt.Errorf("%s has more than two lines: a token, and the one before it while that is still valid", path)
	}
	for _, text := range tokens {
		if text == "" {
			return token{}, fmt.Errorf("%s has an empty line", path)
		}
		if err := checkToken(text); err != nil {
			return token{}, fmt.Errorf("the token in %s %w", path, err)
		}
	}
	return token{tokens: tokens, narrowed: narrowed}, nil
}

// narrow takes the file away from everyone but its owner, and reports whether
// it had to.
func narrow(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() {
		return false, fmt.Errorf("%s is not a regular file", f.Name())
	}
	if runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
		return false, nil
	}
	if err := f.Chmod(0o600); err != nil {
		return false, fmt.Errorf("%s can be read by others than its owner (mode %04o) and that cannot be changed: %w",
			f.Name(), info.Mode().Perm(), err)
	}
	return true, nil
}

// writeToken makes the file whole or not at all, and never over another.
func writeToken(path, text string) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".access_token-*") // mode 0600, O_EXCL
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.WriteString(text + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	// A link, unlike a rename, fails when the name is taken.
	if err = os.Link(f.Name(), path); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err = os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	return os.Rename(f.Name(), path) // a file system without links
}
