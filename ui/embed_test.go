// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/genai/semconv"
)

// What the built files may weigh, compressed.
const (
	maxFirstView = 90 << 10  // of Spans, with its charts
	maxAnyView   = 150 << 10 // with a file that is loaded later
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

	var page []string
	for _, m := range asset.FindAllStringSubmatch(read(t, "index.html"), -1) {
		page = append(page, m[1])
	}
	require.NotEmpty(t, page, "the page refers to assets")
	first := neededBy(t, append(page, "index.html")...)
	require.Less(t, first.zipped(t), maxFirstView)
	require.LessOrEqual(t, len(first)+2, maxRequests)

	later := 0
	for name := range first {
		for _, m := range importedLater.FindAllStringSubmatch(read(t, name), -1) {
			later++
			require.NotContains(t, first, m[1], "it is loaded later")
			all := neededBy(t, m[1])
			maps.Copy(all, first)
			require.Less(t, all.zipped(t), maxAnyView, m[1])
		}
	}
	require.Positive(t, later)
}

// How built files refer to others: the page to assets, scripts to what they need at
// once and to what they load later.
var (
	asset         = regexp.MustCompile(`\{\{\.Assets\}\}/([\w.-]+)`)
	imported      = regexp.MustCompile(`\b(?:from|import)\s*["']\./([\w.-]+)["']`)
	importedLater = regexp.MustCompile(`\bimport\(["']\./([\w.-]+)["']\)`)
)

type names map[string]bool

// neededBy returns files with those that they import.
func neededBy(t *testing.T, files ...string) names {
	t.Helper()
	all := names{}
	for len(files) > 0 {
		name := files[0]
		files = files[1:]
		if all[name] {
			continue
		}
		all[name] = true
		if filepath.Ext(name) == ".js" {
			for _, m := range imported.FindAllStringSubmatch(read(t, name), -1) {
				files = append(files, m[1])
			}
		}
	}
	return all
}

func (n names) zipped(t *testing.T) int {
	t.Helper()
	sum := 0
	for name := range n {
		sum += zipped(t, []byte(read(t, name)))
	}
	return sum
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := fs.ReadFile(Files(), name)
	require.NoError(t, err)
	return string(content)
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

// The form of mappings offers every role that the server knows, and no other.
func TestRolesAreThoseOfTheServer(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("src/api/mappings.ts")
	require.NoError(t, err)
	_, list, found := strings.Cut(string(source), "export const roles = [")
	require.True(t, found)
	list, _, found = strings.Cut(list, "]")
	require.True(t, found)
	var roles []string
	for _, quoted := range regexp.MustCompile(`"([^"]+)"`).FindAllStringSubmatch(list, -1) {
		roles = append(roles, quoted[1])
	}
	require.ElementsMatch(t, semconv.Roles(), roles)
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
