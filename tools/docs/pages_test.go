// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

func read(t *testing.T, name string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, name))
	require.NoError(t, err)
	return string(page)
}

func TestLinksLeadToPagesAndHeadings(t *testing.T) {
	t.Parallel()
	names, err := pages(root)
	require.NoError(t, err)
	require.Contains(t, names, "docs/how-to/check-health.md")
	for _, name := range names {
		list, err := broken(root, name)
		require.NoError(t, err)
		require.Empty(t, list, name)
	}
}

func TestIndexListsEveryPage(t *testing.T) {
	t.Parallel()
	index := read(t, "docs/README.md")
	names, err := pages(filepath.Join(root, "docs"))
	require.NoError(t, err)
	for _, name := range names {
		if !strings.HasPrefix(name, "adr/") && !strings.HasPrefix(name, "models/") && !strings.HasPrefix(name, "notes/") && name != "README.md" {
			require.Contains(t, index, "("+name+")")
		}
	}
}

func TestLengthOfPages(t *testing.T) {
	t.Parallel()
	require.Less(t, strings.Count(read(t, "README.md"), "\n"), 150)
	list, err := filepath.Glob(filepath.Join(root, "docs/how-to/*.md"))
	require.NoError(t, err)
	for _, path := range list {
		page, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Less(t, strings.Count(string(page), "\n"), 80, path)
	}
}

// unchecked are pages of measurements. Below internal are prompts for models.
var unchecked = []string{"docs/accuracy.md"}

func TestPagesAreInPlainLanguage(t *testing.T) {
	t.Parallel()
	names, err := pages(root)
	require.NoError(t, err)
	for _, name := range names {
		if slices.Contains(unchecked, name) || strings.HasPrefix(name, "internal/") {
			continue
		}
		page := read(t, name)
		total, list := 0, sentences(page)
		for _, s := range list {
			words := len(strings.Fields(s))
			require.LessOrEqual(t, words, 35, "%s: %s", name, s)
			require.NotRegexp(t, private, s, name)
			total += words
		}
		require.LessOrEqual(t, total, 25*len(list), "%s: words a sentence", name)
	}
}

func TestSentencesOfAPage(t *testing.T) {
	t.Parallel()
	page := "# A title\n\nOne `a. b` is\nhere. A [second. link](x.md)!\n\n- An item; more\n\n| a cell | another. Two |\n|---|---|\n\n```sh\nno text. none\n```\n"
	require.Equal(t, []string{"One x is here.", "A second.", "link!", "An item;", "more", "a cell", "another.", "Two"}, sentences(page))
}

func TestBrokenLinksAreFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	page := "# One `code` title, two\n[a](#one-code-title-two) [b](#none) [c](none.md) [d](page.md#one-code-title-two) [e](https://example.com/none) `[f](none)`\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "page.md"), []byte(page), 0o600))
	list, err := broken(dir, "page.md")
	require.NoError(t, err)
	require.Equal(t, []string{"#none", "none.md"}, list)
}
