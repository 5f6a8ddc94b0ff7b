// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the built files may weigh, compressed.
const (
	maxFirstView = 120 << 10 // with its charts
	maxAll       = 260 << 10
	maxEmbedded  = 1 << 20 // as they are
	maxRequests  = 6       // of the first view: the page, what it refers to, and two answers
)

func TestBudget(t *testing.T) {
	t.Parallel()
	all, embedded := 0, 0
	require.NoError(t, fs.WalkDir(Files(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(Files(), path)
		all, embedded = all+zipped(t, content), embedded+len(content)
		return err
	}))
	require.Less(t, all, maxAll)
	require.Less(t, embedded, maxEmbedded)

	index, err := fs.ReadFile(Files(), "index.html")
	require.NoError(t, err)
	first, requests := zipped(t, index), 1+2
	for _, m := range regexp.MustCompile(`\{\{\.Assets\}\}/([\w.-]+)`).FindAllSubmatch(index, -1) {
		content, err := fs.ReadFile(Files(), string(m[1]))
		require.NoError(t, err)
		first += zipped(t, content)
		requests++
	}
	require.Greater(t, requests, 3, "the page refers to assets")
	require.Less(t, first, maxFirstView)
	require.LessOrEqual(t, requests, maxRequests)
}

func zipped(t *testing.T, content []byte) int {
	t.Helper()
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, err := w.Write(content)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return z.Len()
}

// forbidden turns text into markup or code.
var forbidden = regexp.MustCompile(`dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\s*\(|new Function|` +
	`setAttribute\(\s*["'` + "`" + `]on|srcdoc|javascript:|\bstyle=["'` + "`" + `]|cssText|createContextualFragment|DOMParser|https?://`)

func TestSourcesTurnNoTextIntoMarkup(t *testing.T) {
	t.Parallel()
	files := 0
	require.NoError(t, filepath.WalkDir("src", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".svg") {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		for i, line := range strings.Split(string(content), "\n") {
			if at := strings.TrimSpace(line); !strings.HasPrefix(at, "//") && !strings.HasPrefix(at, "/*") {
				require.NotRegexp(t, forbidden, line, "%s:%d", path, i+1)
			}
		}
		return nil
	}))
	require.Positive(t, files)
	for _, bad := range []string{`el.innerHTML = x`, `eval (x)`, `<p style="x">`, `el.setAttribute("onclick", x)`, `fetch("https://x")`} {
		require.Regexp(t, forbidden, bad)
	}
}

// licences are those that a package may have whose code ships.
var licences = regexp.MustCompile(`^(MIT|BSD-2-Clause)$`)

// unused are packages that others name and whose code is not in the build.
var unused = map[string]bool{"argparse": true}

// Every package that ships is named with its licence; those of tests and types
// do not ship.
func TestNotices(t *testing.T) {
	t.Parallel()
	notices, err := fs.ReadFile(Files(), "LICENSES.txt")
	require.NoError(t, err)
	lock, err := os.ReadFile("package-lock.json")
	require.NoError(t, err)
	var locked struct {
		Packages map[string]struct {
			Version          string `json:"version"`
			License          string `json:"license"`
			Dev, Optional    bool
			HasInstallScript bool `json:"hasInstallScript"`
		} `json:"packages"`
	}
	require.NoError(t, json.Unmarshal(lock, &locked))
	shipped := 0
	for path, p := range locked.Packages {
		name, isPackage := strings.CutPrefix(path, "node_modules/")
		if !isPackage {
			continue
		}
		require.False(t, p.HasInstallScript, name)
		if p.Dev || p.Optional || unused[name] {
			require.NotContains(t, string(notices), "\n"+name+" ", name)
			continue
		}
		shipped++
		require.Regexp(t, licences, p.License, name)
		require.Contains(t, string(notices), "\n"+name+" "+p.Version+" ("+p.License+")\n", name)
	}
	require.Positive(t, shipped)
}
