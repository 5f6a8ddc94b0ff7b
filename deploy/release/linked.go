// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// part is something that is linked into a program.
type part struct {
	Name, Version string
	// Within is the part that brings it, "" for a module of Go.
	Within string
	// Licences are the SPDX identifiers of all licences that its files are under:
	// https://spdx.org/licenses/
	Licences []string
	Texts    []text
}

// text is a file that says how a part may be used.
type text struct{ file, content string }

// linked returns what is linked into a program that Go built: the modules that it says
// itself, the standard library, and what their libraries of C and C++ bring.
func linked(ctx context.Context, binary string) ([]part, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	var names []string
	parts := []part{{Name: "std", Version: strings.Fields(info.GoVersion)[0]}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		if strings.HasPrefix(m.Path, "./") {
			continue // a directory of this repository, as the rest of the program is
		}
		names = append(names, m.Path+"@"+m.Version)
		parts = append(parts, part{Name: m.Path, Version: m.Version})
	}
	dirs, err := directories(ctx, names)
	if err != nil {
		return nil, err
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	dirs["std@"+parts[0].Version] = strings.TrimSpace(string(root))
	for i := range parts {
		p := &parts[i]
		if p.Texts, err = textsIn(dirs[p.Name+"@"+p.Version]); err != nil {
			return nil, err
		}
	}
	for _, p := range slices.Clone(parts) {
		parts = append(parts, withinOf(p)...)
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Within, b.Within))
	})
	return parts, nil
}

// directories returns where modules are on this machine, by name@version.
func directories(ctx context.Context, names []string) (map[string]string, error) {
	if len(names) == 0 {
		return map[string]string{}, nil
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{"mod", "download", "-json"}, names...)...) //nolint:gosec // the command of Go
	cmd.Dir = os.TempDir()                                                                           // in no module, whose checksums would be asked for
	var failed bytes.Buffer
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("modules cannot be downloaded: %w %s", err, failed.String())
	}
	dirs := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var m struct{ Path, Version, Dir string }
		switch err := d.Decode(&m); {
		case errors.Is(err, io.EOF):
			return dirs, nil
		case err != nil:
			return nil, err
		}
		dirs[m.Path+"@"+m.Version] = m.Dir
	}
}

// legal are names of files that say how something may be used.
var legal = regexp.MustCompile(`(?i)^(li[cs]en[cs]es?|copying|unlicense|notice|copyright|patents)([-._].*)?$`)

// textsIn returns what such files in a directory say.
func textsIn(dir string) ([]text, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []text
	for _, e := range entries {
		if !e.Type().IsRegular() || !legal.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, e.Name())) //nolint:gosec // a module's
		if err != nil {
			return nil, err
		}
		list = append(list, text{e.Name(), strings.ReplaceAll(strings.ToValidUTF8(string(content), "?"), "\r\n", "\n")})
	}
	return list, nil
}
