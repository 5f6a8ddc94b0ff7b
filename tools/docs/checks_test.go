// SPDX-License-Identifier: Apache-2.0

// Package docs checks what people read: the links and the language of pages, comments and
// messages, and the subjects of commits.
package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// pages returns the Markdown files below root, relative to it, sorted.
func pages(root string) ([]string, error) { return filesOf(root, ".md") }

// filesOf returns the files below root whose names end so, relative to it, sorted.
func filesOf(root, extension string) (list []string, err error) {
	skipped := []string{".git", "node_modules", "bin", "build", "data", "testdata"}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(skipped, d.Name()):
			return filepath.SkipDir
		case filepath.Ext(path) != extension:
			return nil
		}
		relative, err := filepath.Rel(root, path)
		list = append(list, filepath.ToSlash(relative))
		return err
	})
	return list, err
}

var (
	block   = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	code    = regexp.MustCompile("`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	mark    = regexp.MustCompile(`<a id="([^"]+)">`)
)

// anchors returns the names of a page's marks, and those that GitHub gives to its headings.
func anchors(page string) map[string]bool {
	names := map[string]bool{}
	for _, m := range mark.FindAllStringSubmatch(page, -1) {
		names[m[1]] = true
	}
	for _, h := range heading.FindAllStringSubmatch(block.ReplaceAllString(page, ""), -1) {
		names[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, link.ReplaceAllString(h[1], ""))] = true
	}
	return names
}

// broken returns the links of a page that lead nowhere.
func broken(root, name string) (list []string, err error) {
	page, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return nil, err
	}
	for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(block.ReplaceAllString(string(page), ""), ""), -1) {
		target, anchor, _ := strings.Cut(m[1], "#")
		if strings.Contains(target, ":") {
			continue // another site
		}
		path := filepath.Join(root, name)
		if target != "" {
			path = filepath.Join(filepath.Dir(path), target)
		}
		if _, err := os.Stat(path); err != nil {
			list = append(list, m[1])
			continue
		}
		if anchor == "" || filepath.Ext(path) != ".md" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if !anchors(string(text))[anchor] {
			list = append(list, m[1])
		}
	}
	return list, nil
}

var (
	// label matches the text of a link or picture with its target.
	label     = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	item      = regexp.MustCompile(`(?m)^\s*([-*]|\d+\.)\s+`)
	paragraph = regexp.MustCompile(`\n\s*\n`)
	ending    = regexp.MustCompile(`[.!?:;]['")*]*\s+`)
	private   = regexp.MustCompile(`(?i)\b(owed|told|anew|beside|aside|whoever|nobody|somebody|himself|therein|thereof)\b`)
)

// sentences returns the sentences of a page. Each cell of a table is text of its own;
// code and headings are none.
func sentences(page string) (list []string) {
	page = block.ReplaceAllString(page, "\n\n")
	page = code.ReplaceAllString(page, "x")
	page = label.ReplaceAllString(page, "$1")
	page = heading.ReplaceAllString(page, "\n\n")
	page = regexp.MustCompile(`(?m)^\s*\|.*$`).ReplaceAllStringFunc(page, func(row string) string {
		return "\n\n" + strings.ReplaceAll(row, "|", "\n\n") + "\n\n"
	})
	page = item.ReplaceAllString(page, "\n\n")
	for _, text := range paragraph.Split(page, -1) {
		text = strings.Join(strings.Fields(text), " ")
		for _, s := range strings.Split(ending.ReplaceAllString(text, "$0\n"), "\n") {
			if s = strings.TrimSpace(s); strings.ContainsFunc(s, unicode.IsLetter) {
				list = append(list, s)
			}
		}
	}
	return list
}
