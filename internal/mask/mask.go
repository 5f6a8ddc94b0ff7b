// SPDX-License-Identifier: Apache-2.0

// Package mask takes out of spans and log records what evaluators find in their texts,
// before anybody keeps or hands them on. A Rule says what is looked for; a Masker looks
// at all texts of a record and writes those again in which something was found: only the
// characters that were found, everywhere in the record where they stand, and so that
// JSON stays JSON.
package mask

import (
	"context"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// Effect says what becomes of what a rule finds.
type Effect int

const (
	// Mask replaces what is found by what kind it is of.
	Mask Effect = iota
	// Hash replaces it by its kind and a keyed hash, by which equal ones are seen to
	// be equal.
	Hash
)

// Rule is what is looked for in every text of a record. It is made by NewRule and safe
// for concurrent use.
type Rule struct {
	find   eval.Finder
	effect Effect
	keep   bool
	clean  *lru.Cache[string, struct{}] // short texts in which nothing is
}

// Bounds of the short texts that are known to have nothing: names of attributes, roles,
// models. They come with every span.
const (
	maxCleanText  = 64 // bytes
	maxCleanTexts = 2048
)

// NewRule makes a rule of what finds. A text that cannot be searched to its end is
// replaced as a whole, but where keep says that it stays as it is.
func NewRule(find eval.Finder, effect Effect, keep bool) *Rule {
	clean, err := lru.New[string, struct{}](maxCleanTexts)
	if err != nil {
		panic(err) // The size is a constant above 0.
	}
	return &Rule{find: find, effect: effect, keep: keep, clean: clean}
}

// isClean reports whether a text is known to have nothing.
func (r *Rule) isClean(text string) bool { return len(text) <= maxCleanText && r.clean.Contains(text) }

// search returns the pieces of a text that the rule finds. The error says that it did not
// come to the end of the text.
func (r *Rule) search(ctx context.Context, text string) ([]piece, error) {
	places, err := r.find(ctx, text)
	if err == nil && len(places) == 0 && len(text) <= maxCleanText {
		r.clean.Add(strings.Clone(text), struct{}{})
	}
	pieces := make([]piece, 0, len(places))
	for _, p := range places {
		if p.Start < p.End {
			pieces = append(pieces, piece{p.Start, p.End, p.Kind, r.effect})
		}
	}
	return pieces, err
}

// Tally counts texts that were rewritten, by what was done to them.
type Tally struct {
	Masked, Hashed int64
	// NotSearched are those that could not be searched to their end and were replaced.
	NotSearched int64
}

// Budget is how long may be searched, for several maskers together. It is for one
// goroutine.
type Budget struct{ Left time.Duration }
