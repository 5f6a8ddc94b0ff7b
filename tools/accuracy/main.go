// SPDX-License-Identifier: Apache-2.0

// Accuracy measures the evaluators on labelled data sets and compares the
// figures with the least that they must reach:
//
//	bin/tools/accuracy -data DIR -out docs/accuracy.md
//
// It calls the evaluators as clients do, so that what is measured is what
// answers. It fails when a figure falls short. A measure of a further
// evaluator is a further file.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

func main() {
	log.SetFlags(0)
	data := flag.String("data", "", "directory of the data sets")
	out := flag.String("out", "", "page to write, if any")
	only := flag.String("only", "", "the one evaluator to measure")
	flag.Parse()
	if *data == "" {
		log.Fatal("accuracy: -data is needed")
	}
	if err := run(evaluators.Catalog(), *data, *out, *only, os.Stdout); err != nil {
		log.Fatal("accuracy: ", err)
	}
}

// measure is how the figures of one evaluator are taken.
type measure struct {
	slug string
	// sets are the data sets it needs; without one of them it is left out.
	sets []string
	take func(b *bench) ([]figure, error)
}

// entered has every measure; it is complete before main.
var entered []measure

// enter adds a measure. A file does so for its evaluator in a package
// variable, so that adding one touches nothing else.
func enter(slug string, take func(b *bench) ([]figure, error), sets ...string) bool { //nolint:unparam // a package variable needs a value
	entered = append(entered, measure{slug, sets, take})
	return true
}

// measures returns every measure, sorted by slug.
func measures() []measure {
	return slices.SortedFunc(slices.Values(entered), func(a, b measure) int { return cmp.Compare(a.slug, b.slug) })
}

// run takes every measure the data allow, or those of one evaluator, reports it
// and writes the page.
func run(catalog *eval.Catalog, data, out, only string, report io.Writer) error {
	var taken []section
	var errs []error
	for _, m := range measures() {
		if only != "" && m.slug != only {
			continue
		}
		s := section{slug: m.slug}
		for _, set := range m.sets {
			if !dataset.Has(data, set) {
				s.missing = append(s.missing, set)
			}
		}
		e, ok := catalog.Get(m.slug)
		if !ok {
			return fmt.Errorf("there is no evaluator %s", m.slug)
		}
		if len(s.missing) == 0 {
			figures, err := m.take(&bench{evaluator: e, data: data})
			if err != nil {
				return fmt.Errorf("%s: %w", m.slug, err)
			}
			s.figures = figures
		}
		for _, f := range s.figures {
			if f.fallsShort() {
				errs = append(errs, fmt.Errorf("%s: %s on %s is %s, which must be %s", m.slug, f.name, f.set, f.text(), f.bar()))
			}
		}
		if n := len(taken); n > 0 && taken[n-1].slug == s.slug && len(s.missing) == 0 && len(taken[n-1].missing) == 0 {
			taken[n-1].figures = append(taken[n-1].figures, s.figures...)
			continue
		}
		taken = append(taken, s)
	}
	text := page(taken)
	if _, err := report.Write(text); err != nil {
		return err
	}
	if out != "" {
		if err := os.WriteFile(out, text, 0o644); err != nil { //nolint:gosec // a page for everybody to read
			return err
		}
	}
	return errors.Join(errs...)
}
