// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"bytes"
	"encoding/json"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// backendAuto is the backend of who leaves the choice to the evaluator.
const backendAuto = "auto"

// configuration returns Config with the backend in it.
func (w *SetupEvaluator) configuration() (json.RawMessage, error) {
	if w.Backend == "" {
		return w.Config, nil
	}
	all := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(w.Config)) > 0 {
		if err := json.Unmarshal(w.Config, &all); err != nil {
			return nil, fault.New(fault.Invalid, "config must be an object")
		}
	}
	if all == nil { // it was null
		all = map[string]json.RawMessage{}
	}
	backend, err := json.Marshal(w.Backend)
	if err != nil {
		return nil, fault.New(fault.Invalid, "backend must be a text")
	}
	all["backend"] = backend
	config, err := json.Marshal(all)
	if err != nil {
		return nil, fault.New(fault.Invalid, "config must be an object")
	}
	return config, nil
}

// key returns a text that is equal for specs that come to equal verdicts on one span.
func (w *SetupEvaluator) key() string {
	config := w.Config
	var compact bytes.Buffer
	if json.Compact(&compact, w.Config) == nil {
		config = compact.Bytes()
	}
	// Maps are written in the order of their keys.
	key, err := json.Marshal([]any{w.Slug, w.CustomID, w.Backend, string(config), w.Inputs})
	if err != nil { // there is nothing in it that cannot be written
		return w.Slug
	}
	return string(key)
}
