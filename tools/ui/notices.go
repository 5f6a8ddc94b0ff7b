// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// notices returns the licences of the bundled packages, each with the package's
// name and version. A package without a licence file is an error.
func (b *built) notices(dir string) ([]byte, error) {
	var text strings.Builder
	text.WriteString("The web UI contains these packages.\n")
	for _, name := range b.packages {
		home := filepath.Join(dir, "node_modules", filepath.FromSlash(name))
		content, err := os.ReadFile(filepath.Join(home, "package.json")) //nolint:gosec // a package that was bundled
		if err != nil {
			return nil, err
		}
		var about struct {
			Version string `json:"version"`
			License string `json:"license"`
		}
		if err := json.Unmarshal(content, &about); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		licence, err := licenceIn(home)
		if err != nil {
			return nil, fmt.Errorf("%s has no licence that could be shown: %w", name, err)
		}
		fmt.Fprintf(&text, "\n%s\n%s %s (%s)\n\n%s\n", strings.Repeat("-", 72), name, about.Version, about.License,
			strings.TrimSpace(strings.ReplaceAll(string(licence), "\r\n", "\n")))
	}
	return []byte(text.String()), nil
}

// licenceIn returns the licence file of an installed package.
func licenceIn(home string) (content []byte, err error) {
	for _, name := range []string{"LICENSE", "LICENSE.txt", "LICENSE-MIT.txt"} {
		if content, err = os.ReadFile(filepath.Join(home, name)); err == nil { //nolint:gosec // a package that was bundled
			return content, nil
		}
	}
	return nil, err
}
