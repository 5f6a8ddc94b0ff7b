// SPDX-License-Identifier: Apache-2.0

// Package evaluators holds what Touchstone knows how to judge, one file for
// each evaluator. A file defines its evaluator in a package variable, so that
// adding one touches nothing else.
//
// See docs/adr/0064-local-text-models.md.
package evaluators

import "github.com/touchstone-otel/touchstone/internal/eval"

// catalog is complete before main and not changed after.
var catalog eval.Catalog

// Catalog returns every evaluator of this build.
func Catalog() *eval.Catalog { return &catalog }

// define enters an evaluator into the catalog. It panics on a malformed
// definition: that is a defect of the file, found when the program starts.
func define[In, Cfg, Out any](d eval.Definition[In, Cfg, Out]) *eval.Evaluator {
	e, err := eval.New(d)
	if err != nil {
		panic(err)
	}
	if err := catalog.Add(e); err != nil {
		panic(err)
	}
	return e
}
