// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
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

// optionsOf returns how the sources of dir are built. Paths in what is written are
// relative to dir, so that two checkouts give the same bytes.
func optionsOf(dir string) api.BuildOptions {
	return api.BuildOptions{
		AbsWorkingDir:     dir,
		EntryPoints:       []string{"src/main.tsx", "src/text/markdown/parse.ts"},
		EntryNames:        "[name]",
		External:          []string{"./parse.js"}, // loaded when it is needed
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

// bundle runs esbuild.
func bundle(dir string) (*built, error) {
	done := api.Build(optionsOf(dir))
	if len(done.Errors) > 0 {
		return nil, errors.New(strings.Join(api.FormatMessages(done.Errors, api.FormatMessagesOptions{}), ""))
	}
	b := &built{content: map[string][]byte{}}
	for _, f := range done.OutputFiles {
		b.content[filepath.Base(f.Path)] = f.Contents
	}
	var err error
	b.packages, err = packagesOf(done.Metafile)
	return b, err
}

// packagesOf returns the npm packages that esbuild's description of a build
// names as inputs: https://esbuild.github.io/api/#metafile
func packagesOf(metafile string) ([]string, error) {
	var described struct {
		Inputs map[string]struct{} `json:"inputs"`
	}
	if err := json.Unmarshal([]byte(metafile), &described); err != nil {
		return nil, fmt.Errorf("read the metafile: %w", err)
	}
	names := map[string]struct{}{}
	for path := range described.Inputs {
		_, inside, found := strings.Cut(path, "node_modules/")
		if !found {
			continue
		}
		parts := strings.SplitN(inside, "/", 3)
		name := parts[0]
		if strings.HasPrefix(name, "@") && len(parts) > 1 {
			name += "/" + parts[1]
		}
		names[name] = struct{}{}
	}
	return slices.Sorted(maps.Keys(names)), nil
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
