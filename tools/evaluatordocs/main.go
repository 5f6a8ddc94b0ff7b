// SPDX-License-Identifier: Apache-2.0

// Evaluatordocs writes the page on evaluators from the catalog, to the path
// that is its only argument or to docs/evaluators.md.
package main

import (
	"log"
	"os"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
)

func main() {
	path := "docs/evaluators.md"
	if len(os.Args) > 1 {
		path = os.Args[1]
	}
	if err := os.WriteFile(path, eval.Markdown(evaluators.Catalog()), 0o644); err != nil { //nolint:gosec // a page for everybody to read
		log.Fatal(err)
	}
}
