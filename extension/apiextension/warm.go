// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"encoding/json"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// warm has evaluators load what they need, by letting each judge an example:
// a caller that asks first is not to wait for it. It ends early with ctx, between two
// of them.
func warm(ctx context.Context, catalog *eval.Catalog, slugs []string) {
	for _, slug := range slugs {
		e, found := catalog.Get(slug)
		if !found || ctx.Err() != nil {
			continue
		}
		// Without models, so that what is loaded is what is here, and no model is asked.
		e = e.With(eval.Models{})
		for _, x := range e.Examples {
			if x.Refused != "" {
				continue
			}
			// What is wrong with it, those will hear who ask for a verdict.
			_, _ = e.FromJSON(ctx, json.RawMessage(x.Input), json.RawMessage(x.Config))
			break
		}
	}
}
