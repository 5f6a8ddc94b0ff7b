// SPDX-License-Identifier: Apache-2.0

// Package ui holds the built web UI. Its sources are in src; make ui
// builds them into dist.
package ui

import (
	"embed"
	"io/fs"
)

//go:embed dist
var embedded embed.FS

// Files returns what was built: index.html, a template of html/template with
// Base, API and Assets (all of them paths without a slash at the end), and the
// assets that it and they refer to.
func Files() fs.FS {
	files, err := fs.Sub(embedded, "dist")
	if err != nil {
		panic(err) // the name is a constant
	}
	return files
}
