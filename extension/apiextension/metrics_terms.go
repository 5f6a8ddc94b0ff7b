// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// term is what one filter comes to: all of the conditions must hold, or of
// several alternatives one. Without any it always holds, or never does.
type term struct {
	all, any []store.PointFilter
	never    bool
}

func one(f store.PointFilter) term { return term{all: []store.PointFilter{f}} }

func constant(holds bool) term { return term{never: !holds} }

// always reports a term without a condition.
func (t term) always() bool { return !t.never && len(t.all) == 0 && len(t.any) == 0 }

// conditions are what a query asks of points. It has one place for
// alternatives, so some combinations of filters cannot be asked for.
type conditions struct {
	all, any []store.PointFilter
	never    bool
}

// and adds a term that must hold.
func (c *conditions) and(path string, t term) error {
	c.never = c.never || t.never
	c.all = append(c.all, t.all...)
	if len(t.any) == 0 {
		return nil
	}
	if len(c.any) > 0 {
		return fault.New(fault.Invalid, "%s cannot be combined with the filters before it: it means several alternatives", path)
	}
	c.any = t.any
	return nil
}

// or adds terms of which one must hold.
func (c *conditions) or(terms []term) error {
	if len(terms) == 1 {
		return c.and("filters[0]", terms[0])
	}
	var alternatives []store.PointFilter
	never := true
	for i, t := range terms {
		switch {
		case t.always():
			return nil
		case t.never:
			continue
		case len(t.all) > 1:
			return fault.New(fault.Invalid, "filters[%d] cannot be combined by OR: it means several conditions at once", i)
		}
		never = false
		alternatives = append(append(alternatives, t.all...), t.any...)
	}
	c.never = c.never || never
	c.any = alternatives
	return nil
}
