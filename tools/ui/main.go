// SPDX-License-Identifier: Apache-2.0

// Program ui builds the web UI: it bundles ui/src into ui/dist, writes the
// licence notices of what is bundled, and prints the sizes. The packages of
// ui/package.json have to be there (npm ci --ignore-scripts). The same sources
// give the same bytes. With -dev it serves them instead.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
)

func main() {
	dir := flag.String("dir", "ui", "the directory with src and index.html")
	out := flag.String("out", "", "where the built files go; default: dist in that directory")
	dev := flag.String("dev", "", "serve the sources, built at each change, at this address")
	collector := flag.String("collector", "http://127.0.0.1:8080", "with -dev: the collector that answers /v2 and keeps sessions")
	flag.Parse()
	log.SetFlags(0)
	if *dev != "" {
		log.Fatal("ui: ", develop(*dir, *dev, *collector))
	}
	if *out == "" {
		*out = filepath.Join(*dir, "dist")
	}
	if err := build(*dir, *out); err != nil {
		log.Fatal("ui: ", err)
	}
}

// build replaces out with what is built of dir.
func build(dir, out string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	files, err := bundle(dir)
	if err != nil {
		return err
	}
	notices, err := files.notices(dir)
	if err != nil {
		return err
	}
	files.content["LICENSES.txt"] = notices
	for name, from := range map[string]string{"index.html": "index.html", "icon.svg": "src/icon.svg"} {
		if files.content[name], err = os.ReadFile(filepath.Join(dir, from)); err != nil { //nolint:gosec // the caller's own sources
			return err
		}
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil { //nolint:gosec // for everybody to read
		return err
	}
	for name, content := range files.content {
		if err := os.WriteFile(filepath.Join(out, name), content, 0o644); err != nil { //nolint:gosec // for everybody to read
			return err
		}
	}
	sizes, err := files.sizes()
	if err != nil {
		return err
	}
	fmt.Print(sizes)
	return nil
}
