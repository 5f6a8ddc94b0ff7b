// SPDX-License-Identifier: Apache-2.0

// Package secrets finds credentials in a text: by the rules of gitleaks, by
// the forms of tokens, and by the places where secrets stand.
package secrets

import (
	"context"
	"sync"

	"github.com/touchstone-otel/touchstone/internal/textfold"
)

// leaks are the rules for tokens, read when they are first needed.
var leaks = sync.OnceValues(newLeakRules)

// Find hands over where a text, as it was given, holds what looks like a credential,
// until yield says that it has seen enough. A place may come several times, and places
// may overlap. It ends with a fault.TooLarge if there are more places that might be
// secrets than are judged; those that were found before count all the same.
func Find(ctx context.Context, text string, yield func(start, end int) bool) error {
	views := textfold.Views(text)
	for _, view := range views {
		if !plainSecrets(view.Text, func(at place) bool { return yield(view.Span(at.start, at.end)) }) {
			return nil
		}
	}
	search, err := leaks()
	if err != nil {
		return err
	}
	for _, view := range views {
		more, err := search.find(ctx, view.Text, func(at place) bool { return yield(view.Span(at.start, at.end)) })
		if !more || err != nil {
			return err
		}
	}
	return nil
}
