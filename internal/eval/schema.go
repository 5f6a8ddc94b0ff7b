// SPDX-License-Identifier: Apache-2.0

package eval

import "encoding/json"

// InputSchema is the JSON Schema of the input of a call.
func (e *Evaluator) InputSchema() map[string]any { return objectSchema(e.Input) }

// ConfigSchema returns the schema of its configuration.
func (e *Evaluator) ConfigSchema() map[string]any { return objectSchema(e.Config) }

// RequestSchema is the JSON Schema of the body of a call, for OpenAPI 3.1.
func (e *Evaluator) RequestSchema() map[string]any {
	properties := map[string]any{"input": e.InputSchema()}
	required := []string{"input"}
	if len(e.Config) > 0 {
		properties["config"] = e.ConfigSchema()
		for _, f := range e.Config {
			if f.Required {
				required = append(required, "config")
				break
			}
		}
	}
	schema := map[string]any{"type": "object", "properties": properties, "required": required}
	var examples []any
	for _, x := range e.allExamples() {
		if x.Want == "" {
			continue
		}
		body := map[string]any{"input": json.RawMessage(x.Input)}
		if x.Config != "" {
			body["config"] = json.RawMessage(x.Config)
		}
		examples = append(examples, body)
	}
	if examples != nil {
		schema["examples"] = examples
	}
	return schema
}

// OutputSchema is the JSON Schema of the answer to a call: the outputs, and the other
// answers of Judged.
func (e *Evaluator) OutputSchema() map[string]any {
	schema := objectSchema(e.Output)
	required := make([]string, len(e.Output))
	for i, f := range e.Output {
		required[i] = f.Name
	}
	schema["required"] = required
	beside := map[string]any{
		"score":     map[string]any{"type": "number", "description": "The number that the threshold is compared with."},
		"reason":    map[string]any{"type": "string", "description": "Why, in one sentence; language where the language of the text is not known."},
		"uncertain": map[string]any{"type": "boolean", "description": "The evaluator cannot know: the other fields are its best guess."},
		"evidence": map[string]any{
			"type": "array", "description": "The pieces of the inputs that decided, by their bytes.",
			"items": map[string]any{"type": "object", "required": []string{"input", "start", "end"}, "properties": map[string]any{
				"input": map[string]any{"type": "string"}, "kind": map[string]any{"type": "string"},
				"start": map[string]any{"type": "integer", "minimum": 0}, "end": map[string]any{"type": "integer", "minimum": 0},
			}},
		},
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, is := range beside {
		if properties[name] == nil {
			properties[name] = is
		}
	}
	return schema
}

// ResponseSchema is OutputSchema with examples, for OpenAPI 3.1.
func (e *Evaluator) ResponseSchema() map[string]any {
	schema := e.OutputSchema()
	var examples []any
	for _, x := range e.allExamples() {
		if x.Want != "" {
			examples = append(examples, json.RawMessage(x.Want))
		}
	}
	if examples != nil {
		schema["examples"] = examples
	}
	return schema
}

func objectSchema(fields []Field) map[string]any {
	properties := make(map[string]any, len(fields))
	var required []string
	for _, f := range fields {
		properties[f.Name] = f.schema()
		if f.Required {
			required = append(required, f.Name)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties}
	if required != nil {
		schema["required"] = required
	}
	return schema
}

func (f Field) schema() map[string]any {
	schema := map[string]any{"type": string(f.Type), "description": f.Description}
	switch {
	case f.JSONText:
		schema["type"] = []string{"string", "array", "object"}
		schema["contentMediaType"] = "application/json"
	case f.Type == Float:
		schema["type"] = "number"
	}
	if f.Values != nil {
		schema["enum"] = f.Values
	}
	if f.Min != nil {
		schema["minimum"] = *f.Min
	}
	if f.Max != nil {
		schema["maximum"] = *f.Max
	}
	if f.Default != nil {
		schema["default"] = f.Default
	}
	return schema
}
