// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// graph has for each source what it imports, as esbuild describes a build:
// https://esbuild.github.io/api/#metafile
type graph map[string]struct {
	Imports []struct {
		Path string `json:"path"`
		Kind string `json:"kind"`
	} `json:"imports"`
}

func graphOf(metafile string) (graph, error) {
	var described struct {
		Inputs graph `json:"inputs"`
	}
	if err := json.Unmarshal([]byte(metafile), &described); err != nil {
		return nil, fmt.Errorf("read the metafile: %w", err)
	}
	return described.Inputs, nil
}

// packages returns the npm packages that are imported, sorted.
func (g graph) packages() []string {
	names := map[string]struct{}{}
	for source := range g {
		_, inside, found := strings.Cut(source, "node_modules/")
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
	return slices.Sorted(maps.Keys(names))
}

// later returns the sources that are loaded when they are needed, by import().
func (g graph) later() []string {
	found := map[string]struct{}{}
	for _, source := range g {
		for _, i := range source.Imports {
			if i.Kind == "dynamic-import" {
				found[i.Path] = struct{}{}
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// needed returns a source and all that it does not load later, apart from styles.
func (g graph) needed(source string) map[string]bool {
	all := map[string]bool{}
	for left := []string{source}; len(left) > 0; {
		next := left[0]
		left = left[1:]
		if _, built := g[next]; !built || all[next] || path.Ext(next) == ".css" {
			continue
		}
		all[next] = true
		for _, i := range g[next].Imports {
			if i.Kind == "import-statement" {
				left = append(left, i.Path)
			}
		}
	}
	return all
}

// shared returns what several of the sources need that are loaded later.
func (g graph) shared() []string {
	users := map[string]int{}
	for _, source := range g.later() {
		for needed := range g.needed(source) {
			users[needed]++
		}
	}
	maps.DeleteFunc(users, func(_ string, n int) bool { return n == 1 })
	return slices.Sorted(maps.Keys(users))
}

// split returns how the scripts are built: one for each source that is loaded
// later, named like its folder, with what it alone needs, and one with all else.
// Left to itself esbuild makes a script for each set of them that share something,
// all of which the first view would have to ask for. So the first one imports what
// several share, and each of them imports the first one.
func (g graph) split(dir string) (api.BuildOptions, error) {
	options := optionsOf(dir)
	options.Splitting = true
	options.Loader = map[string]api.Loader{".css": api.LoaderEmpty}
	options.EntryPoints = nil
	options.EntryPointsAdvanced = []api.EntryPoint{{InputPath: entry, OutputPath: nameOf(script)}}
	more := map[string][]string{filepath.Join(dir, entry): g.shared()}
	names := map[string]string{nameOf(script): entry}
	for _, source := range g.later() {
		name := path.Base(path.Dir(source))
		if other, taken := names[name]; taken {
			return options, fmt.Errorf("the scripts of %s and %s would have one name", other, source)
		}
		names[name] = source
		options.EntryPointsAdvanced = append(options.EntryPointsAdvanced, api.EntryPoint{InputPath: source, OutputPath: name})
		more[filepath.Join(dir, source)] = []string{entry}
	}
	options.Plugins = []api.Plugin{{Name: "import more", Setup: func(b api.PluginBuild) {
		b.OnLoad(api.OnLoadOptions{Filter: `\.tsx?$`}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
			return withImports(dir, a.Path, more[a.Path])
		})
	}}}
	return options, nil
}

// withImports reads a source that imports others, too. One that imports no others
// is left to esbuild.
func withImports(dir, source string, others []string) (api.OnLoadResult, error) {
	if len(others) == 0 {
		return api.OnLoadResult{}, nil
	}
	content, err := os.ReadFile(source) //nolint:gosec // the caller's own sources
	if err != nil {
		return api.OnLoadResult{}, err
	}
	var text strings.Builder
	text.Write(content)
	for _, other := range others {
		fmt.Fprintf(&text, "\nimport %q;", filepath.ToSlash(filepath.Join(dir, other)))
	}
	loader := api.LoaderTS
	if filepath.Ext(source) == ".tsx" {
		loader = api.LoaderTSX
	}
	contents := text.String()
	return api.OnLoadResult{Contents: &contents, Loader: loader}, nil
}

func nameOf(file string) string { return strings.TrimSuffix(file, path.Ext(file)) }

// common is the name that esbuild gives to what scripts share.
var common = regexp.MustCompile(`^chunk-[0-9A-Z]+\.js$`)

// joinMain puts what all scripts share in the place of the first one, which does
// nothing but import it: that is one request less, and its name stays.
func joinMain(scripts map[string][]byte) error {
	var found []string
	for name := range scripts {
		if common.MatchString(name) {
			found = append(found, name)
		}
	}
	if len(found) != 1 {
		return fmt.Errorf("scripts share %d files, not one", len(found))
	}
	if string(scripts[script]) != fmt.Sprintf("import%q;\n", "./"+found[0]) {
		return errors.New("the first script has more in it than all others need")
	}
	scripts[script] = scripts[found[0]]
	delete(scripts, found[0])
	for name := range scripts {
		scripts[name] = bytes.ReplaceAll(scripts[name], []byte(found[0]), []byte(script))
	}
	return nil
}
