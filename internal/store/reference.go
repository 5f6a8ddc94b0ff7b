// SPDX-License-Identifier: Apache-2.0

package store

import (
	"encoding/json"
	"fmt"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// Reference is a document of the same environment that another one needs.
type Reference struct {
	Kind Kind
	ID   string
	// Field is where the document that needs it names it, and Name how.
	Field, Name string
}

// NotThere is the answer where what is referred to is not there.
func (r *Reference) NotThere() error {
	noun := r.Kind.Rules()
	return fault.New(fault.Invalid, "%s: unknown %s %s %.100q", r.Field, noun.Noun, noun.Name, r.Name)
}

// Needed is the answer to who deletes a document that another one, of this kind and
// name, refers to.
func (k Kind) Needed(by Kind, name string) error {
	return fault.New(fault.Conflict, "the %s %q has the %s: take it out first", by.Rules().Noun, name, k.Rules().Noun)
}

// setupRefers returns the evaluators that a setup has of those that users defined.
func setupRefers(body []byte) []Reference {
	var setup struct {
		Evaluators []struct {
			Slug     string `json:"slug"`
			CustomID string `json:"custom_id"`
		} `json:"evaluators"`
	}
	if json.Unmarshal(body, &setup) != nil {
		return nil
	}
	var list []Reference
	for i, e := range setup.Evaluators {
		if e.CustomID != "" {
			list = append(list, Reference{Kind: EvaluatorKind, ID: e.CustomID, Field: fmt.Sprintf("evaluators[%d]", i), Name: e.Slug})
		}
	}
	return list
}
