// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
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

// withSynonyms gives the input with those required inputs that are missing
// taken from the first synonym that is there. Everything else stays as it was
// written, and so does what is no object.
func withSynonyms(e *evaluator, input json.RawMessage) json.RawMessage {
	var given map[string]json.RawMessage
	if kindOf(input) != '{' || json.Unmarshal(input, &given) != nil {
		return input
	}
	filled := false
	for _, name := range e.required {
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

// synonymsOf gives the names that mean the same as name, itself included.
func synonymsOf(name string) []string {
	for _, group := range synonyms {
		if slices.Contains(group, name) {
			return group
		}
	}
	return []string{name}
}

// guardSchema is the schema of a request to a guard: that of the evaluator, but
// each required input may have any of its names.
func guardSchema(e *eval.Evaluator) object {
	schema := e.RequestSchema()
	input, ok := schema["properties"].(object)["input"].(object)
	if !ok {
		return schema
	}
	delete(input, "required")
	var each []object
	for _, f := range e.Input {
		if !f.Required {
			continue
		}
		var names []object
		for _, name := range synonymsOf(f.Name) {
			names = append(names, object{"required": []string{name}})
		}
		each = append(each, object{"anyOf": names})
	}
	if each != nil {
		input["allOf"] = each
	}
	return schema
}
