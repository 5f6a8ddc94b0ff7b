// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// built is what a build gives.
type built struct {
	content  map[string][]byte // by name
	packages []string          // of npm whose code is in it, sorted
}

const (
	entry  = "src/main.tsx"
	script = "main.js"
	style  = "main.css"
)

// optionsOf returns how the sources of dir are built into one script and one
// sheet of styles. Paths in what is written are relative to dir, so that two
// checkouts give the same bytes.
func optionsOf(dir string) api.BuildOptions {
	return api.BuildOptions{
		AbsWorkingDir:     dir,
		EntryPoints:       []string{entry},
		EntryNames:        "[name]",
		Outdir:            "dist",
		Bundle:            true,
		Metafile:          true,
		Format:            api.FormatESModule,
		Target:            api.ES2022,
		Charset:           api.CharsetUTF8,
		LegalComments:     api.LegalCommentsNone, // LICENSES.txt has them
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
	}
}

// bundle runs esbuild twice: all in one script, which tells what imports what and
// has the styles, and then with a script for each import() of the sources.
func bundle(dir string) (*built, error) {
	whole, metafile, err := run(optionsOf(dir))
	if err != nil {
		return nil, err
	}
	sources, err := graphOf(metafile)
	if err != nil {
		return nil, err
	}
	options, err := sources.split(dir)
	if err != nil {
		return nil, err
	}
	scripts, _, err := run(options)
	if err != nil {
		return nil, err
	}
	if err := joinMain(scripts); err != nil {
		return nil, err
	}
	scripts[style] = whole[style]
	return &built{content: scripts, packages: sources.packages()}, nil
}

// run returns the files that a build gives, by name, and its description.
func run(options api.BuildOptions) (map[string][]byte, string, error) {
	done := api.Build(options)
	if len(done.Errors) > 0 {
		return nil, "", errors.New(strings.Join(api.FormatMessages(done.Errors, api.FormatMessagesOptions{}), ""))
	}
	content := map[string][]byte{}
	for _, f := range done.OutputFiles {
		content[filepath.Base(f.Path)] = f.Contents
	}
	return content, done.Metafile, nil
}

// sizes lists the files with their sizes, as they are and compressed.
func (b *built) sizes() (string, error) {
	var list strings.Builder
	all := 0
	for _, name := range slices.Sorted(maps.Keys(b.content)) {
		zipped, err := zippedSize(b.content[name])
		if err != nil {
			return "", err
		}
		all += zipped
		fmt.Fprintf(&list, "%-14s %7d B  %7d B gz\n", name, len(b.content[name]), zipped)
	}
	fmt.Fprintf(&list, "%-14s %10s %7d B gz\n", "all", "", all)
	return list.String(), nil
}

func zippedSize(content []byte) (int, error) {
	var z bytes.Buffer
	w, err := gzip.NewWriterLevel(&z, gzip.BestCompression)
	if err != nil {
		return 0, err
	}
	if _, err = w.Write(content); err != nil {
		return 0, err
	}
	if err = w.Close(); err != nil {
		return 0, err
	}
	return z.Len(), nil
}
