// SPDX-License-Identifier: Apache-2.0

// Package pii finds personal information that has a form: what has a checksum
// or a valid domain scores 1, what only has a form less, and more if a word that
// tells what it is stands near.
package pii

import "github.com/touchstone-otel/touchstone/internal/textfold"

// Kinds returns every kind that is known, the surest first.
func Kinds() []string {
	var kinds []string
	for _, r := range recognizers {
		kinds = append(kinds, r.entity)
	}
	for _, id := range identifiers {
		kinds = append(kinds, id.Name)
	}
	return kinds
}

// Match is one piece of personal information.
type Match struct {
	Kind string
	// Start and End are its bytes in the text as it was given.
	Start, End int
	Score      float64
}

// Find hands over what a text holds with a score, from 0 to 1, of at least the
// threshold, whatever its disguise, until yield says that it has seen enough.
// Wanted are the kinds to look for; nil is all of them.
func Find(text string, threshold float64, wanted map[string]bool, yield func(Match) bool) {
	for _, view := range textfold.Views(text) {
		more := newScan(view.Text, threshold).run(wanted, func(kind string, m match) bool {
			start, end := view.Span(m.start, m.end)
			return yield(Match{Kind: kind, Start: start, End: end, Score: m.score})
		})
		if !more {
			return
		}
	}
}

// Found returns the kinds that Find finds, in the order of Kinds.
func Found(text string, threshold float64, wanted map[string]bool) []string {
	hits := map[string]bool{}
	for _, view := range textfold.Views(text) {
		newScan(view.Text, threshold).kinds(wanted, hits)
	}
	if len(hits) == 0 {
		return nil
	}
	var found []string
	for _, kind := range Kinds() {
		if hits[kind] {
			found = append(found, kind)
		}
	}
	return found
}
