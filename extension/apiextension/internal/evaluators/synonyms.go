// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// synonyms are the names that clients of guards use for one and the same text:
// what was answered, what it is held against, what was asked, and the lists of
// an agent's run.
var synonyms = [...][]string{
	{"text", "completion", "answer", "response"},
	{"reference", "ground_truth", "context"},
	{"question", "prompt", "instructions", "query"},
	{"prompts", "trajectory_prompts"},
	{"completions", "trajectory_completions"},
}

// withSynonyms returns the input with those required inputs that are missing
// taken from the first synonym that is there. Everything else stays as it was
// written, and so does what is no object.
func withSynonyms(e *eval.Evaluator, input json.RawMessage) json.RawMessage {
	var given map[string]json.RawMessage
	if json.Unmarshal(input, &given) != nil {
		return input
	}
	filled := false
	for _, name := range required(e) {
		if !absent(given[name]) {
			continue
		}
		for _, other := range synonymsOf(name) {
			if !absent(given[other]) {
				given[name], filled = given[other], true
				break
			}
		}
	}
	if !filled {
		return input
	}
	meant, err := json.Marshal(given)
	if err != nil {
		return input
	}
	return meant
}

// synonymsOf returns the names that mean the same as name, itself included.
func synonymsOf(name string) []string {
	for _, group := range synonyms {
		if slices.Contains(group, name) {
			return group
		}
	}
	return []string{name}
}

func absent(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || string(raw) == "null"
}

// GuardSchema is the schema of a request to a guard: that of the evaluator, with on_uncertain,
// and each required input may have any of its names.
func GuardSchema(e *eval.Evaluator) map[string]any {
	schema := e.RequestSchema()
	if properties, ok := schema["properties"].(map[string]any); ok {
		properties["on_uncertain"] = map[string]any{
			"type": "string", "enum": []string{"keep", "drop_content"}, "default": "keep",
			"description": "Whether a text passes of which the verdict is uncertain: keep lets it pass, drop_content does not.",
		}
	}
	input, ok := schema["properties"].(map[string]any)["input"].(map[string]any)
	if !ok {
		return schema
	}
	delete(input, "required")
	var each []map[string]any
	for _, f := range e.Input {
		if !f.Required {
			continue
		}
		var names []map[string]any
		for _, name := range synonymsOf(f.Name) {
			names = append(names, map[string]any{"required": []string{name}})
		}
		each = append(each, map[string]any{"anyOf": names})
	}
	if each != nil {
		input["allOf"] = each
	}
	return schema
}
