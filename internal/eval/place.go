// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"context"
	"encoding/json"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// Place is a piece of a text that speaks against it, and of what kind it is.
type Place struct {
	Kind string // upper-case letters and underscores
	// Start and End are its bytes, from the first to the one behind the last.
	Start, End int
}

// Finder returns the places of a text, in any order; they may overlap. A text that could
// not be searched to its end is an error; the places that were found until then come
// with it. It is safe for concurrent use.
type Finder func(ctx context.Context, text string) ([]Place, error)

// TellsPlaces reports whether the evaluator tells where in a text is what speaks against
// it.
func (e *Evaluator) TellsPlaces() bool {
	f, ok := e.typed.(finding)
	return ok && f.tellsPlaces()
}

// Finder returns what finds the places by which the evaluator, with this configuration,
// judges against a text. The error is a fault of kind Invalid or TooLarge: it tells no
// places, or not with this configuration.
func (e *Evaluator) Finder(config json.RawMessage) (Finder, error) {
	if !e.TellsPlaces() {
		return nil, fault.New(fault.Invalid, "%s does not tell where in a text it found something", e.Slug)
	}
	return e.typed.(finding).finder(config) //nolint:forcetypeassert // as TellsPlaces said
}

// finding is a typed definition that may tell places.
type finding interface {
	tellsPlaces() bool
	finder(config json.RawMessage) (Finder, error)
}

func (r *runner[In, Cfg, Out]) tellsPlaces() bool { return r.Places != nil }

func (r *runner[In, Cfg, Out]) finder(config json.RawMessage) (Finder, error) {
	if err := r.checkConfig(config); err != nil {
		return nil, err
	}
	cfg, err := r.configure(config)
	if err != nil {
		return nil, err
	}
	find, err := r.Places(cfg)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, text string) (places []Place, err error) {
		defer r.caught(&err)
		return find(ctx, text)
	}, nil
}
