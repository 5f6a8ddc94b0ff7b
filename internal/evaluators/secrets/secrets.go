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

// Found reports whether a text holds what looks like a credential, whatever its
// disguise. It ends with a fault.TooLarge if there are more places that might be
// secrets than are judged, and none among those.
func Found(ctx context.Context, text string) (bool, error) {
	views := textfold.Views(text)
	for _, view := range views {
		if hasPlainSecret(view.Text) {
			return true, nil
		}
	}
	search, err := leaks()
	if err != nil {
		return false, err
	}
	for _, view := range views {
		if found, err := search.leaked(ctx, view.Text); found || err != nil {
			return found, err
		}
	}
	return false, nil
}
