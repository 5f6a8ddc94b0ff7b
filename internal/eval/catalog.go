// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"cmp"
	"fmt"
	"slices"
)

// Catalog is a set of evaluators by slug. It is filled first and read, by any
// number of goroutines, after; the zero value is empty.
type Catalog struct {
	bySlug map[string]*Evaluator
	sorted []*Evaluator
}

// NewCatalog makes a catalog of evaluators whose slugs must differ.
func NewCatalog(evaluators ...*Evaluator) (*Catalog, error) {
	c := &Catalog{}
	for _, e := range evaluators {
		if err := c.Add(e); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Add puts an evaluator in. It must not be called once others read.
func (c *Catalog) Add(e *Evaluator) error {
	if _, taken := c.bySlug[e.Slug]; taken {
		return fmt.Errorf("evaluator %q is defined twice", e.Slug)
	}
	if c.bySlug == nil {
		c.bySlug = make(map[string]*Evaluator)
	}
	c.bySlug[e.Slug] = e
	c.sorted = append(c.sorted, e)
	slices.SortFunc(c.sorted, func(a, b *Evaluator) int { return cmp.Compare(a.Slug, b.Slug) })
	return nil
}

// Get finds an evaluator.
func (c *Catalog) Get(slug string) (*Evaluator, bool) {
	e, ok := c.bySlug[slug]
	return e, ok
}

// All returns every evaluator, sorted by slug. The slice is the caller's.
func (c *Catalog) All() []*Evaluator { return slices.Clone(c.sorted) }

// With returns the same evaluators with models to use. For each verdict and plan
// the function is asked again what the evaluator of a slug may use; it answers
// from memory and may be called by any number of goroutines.
func (c *Catalog) With(models func(slug string) Models) *Catalog {
	bound := &Catalog{bySlug: make(map[string]*Evaluator, len(c.sorted))}
	for _, e := range c.sorted {
		with := *e
		with.models = models
		bound.bySlug[e.Slug] = &with
		bound.sorted = append(bound.sorted, &with)
	}
	return bound
}
