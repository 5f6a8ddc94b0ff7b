// SPDX-License-Identifier: Apache-2.0

// Program sizing works out of the measurements in docs/bench.md how much of what a rate
// of spans takes, and writes that into docs/sizing.md. It says of each figure whether
// it was measured, or multiplied from what was.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	bench := flag.String("bench", "docs/bench.md", "the measurements")
	out := flag.String("out", "docs/sizing.md", "the document that has the table")
	flag.Parse()
	if err := run(*bench, *out); err != nil {
		fmt.Fprintln(os.Stderr, "sizing:", err)
		os.Exit(1)
	}
}

func run(bench, out string) error {
	measured, err := os.ReadFile(bench) //nolint:gosec // who runs it names the file
	if err != nil {
		return err
	}
	units, err := unitsOf(string(measured))
	if err != nil {
		return fmt.Errorf("%s: %w", bench, err)
	}
	document, err := os.ReadFile(out) //nolint:gosec // likewise
	if err != nil {
		return err
	}
	next, err := placed(string(document), units.tables())
	if err != nil {
		return fmt.Errorf("%s: %w", out, err)
	}
	return os.WriteFile(out, []byte(next), 0o644) //nolint:gosec // a document
}
