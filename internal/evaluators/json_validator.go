// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/jsontext"
)

type jsonValidatorInput struct {
	Text string `json:"text" doc:"The text that should be JSON." need:"required" span:"output" whole:"true"`
}

type jsonValidatorConfig struct {
	Enabled bool                      `json:"enable_schema_validation" doc:"The text must also satisfy schema_string, if that is given."`
	Schema  eval.JSONText[schemaText] `json:"schema_string" doc:"A JSON Schema, draft 2020-12 unless its $schema says otherwise, of up to 262144 bytes. It must not refer outside itself; format is not asserted."`
	Fence   bool                      `json:"allow_code_fence" doc:"A text that is one Markdown code fence is judged by what is inside."`
}

type jsonValidatorOutput struct {
	Valid bool `json:"is_valid_json" doc:"Whether the text is JSON and satisfies the schema."`
	eval.Judged
}

// schemaText is a JSON Schema that has not been looked at yet: one that is not
// used need not be valid.
type schemaText string

// UnmarshalText takes any text.
func (s *schemaText) UnmarshalText(text []byte) error {
	*s = schemaText(text)
	return nil
}

var _ = define(jsonValidator(jsontext.NewSchemas()))

func jsonValidator(known *jsontext.Schemas) eval.Definition[jsonValidatorInput, jsonValidatorConfig, jsonValidatorOutput] {
	return eval.Definition[jsonValidatorInput, jsonValidatorConfig, jsonValidatorOutput]{
		Slug: "json-validator",
		Doc: "Tells whether a text is JSON by RFC 8259, scalars included, and whether it satisfies a schema. " +
			"Text around the JSON makes it invalid, and so do NaN and Infinity; a Markdown code fence around all of it can be allowed. Of duplicate keys the last counts.",
		Check: func(cfg jsonValidatorConfig) error {
			if schema := cfg.schema(); schema != "" {
				return known.Check(schema)
			}
			return nil
		},
		Run: func(_ context.Context, in jsonValidatorInput, cfg jsonValidatorConfig) (jsonValidatorOutput, error) {
			text := in.Text
			if cfg.Fence {
				text = unfenced(text)
			}
			schema := cfg.schema()
			if schema == "" {
				if json.Valid([]byte(text)) {
					return jsonValidatorOutput{true, reasoned("The text is valid JSON.")}, nil
				}
				return jsonValidatorOutput{Judged: notJSON(in.Text, text)}, nil
			}
			valid, err := known.Satisfied(schema, text)
			switch {
			case err != nil:
				return jsonValidatorOutput{}, err
			case valid:
				return jsonValidatorOutput{true, reasoned("The text is JSON that satisfies the schema.")}, nil
			case json.Valid([]byte(text)):
				return jsonValidatorOutput{Judged: reasoned("The text is JSON that does not satisfy the schema.")}, nil
			}
			return jsonValidatorOutput{Judged: notJSON(in.Text, text)}, nil
		},
		Examples: []eval.Example{
			{About: "an object", Input: `{"text": "{\"a\": 1}"}`, Want: `{"is_valid_json": true}`},
			{About: "a fence is not JSON", Input: "{\"text\": \"```json\\n{}\\n```\"}", Want: `{"is_valid_json": false}`},
			{About: "a fence that is allowed", Input: "{\"text\": \"```json\\n{}\\n```\"}", Config: `{"allow_code_fence": true}`, Want: `{"is_valid_json": true}`},
			{
				About:  "JSON that breaks the schema",
				Input:  `{"text": "{\"age\": \"ten\"}"}`,
				Config: `{"enable_schema_validation": true, "schema_string": "{\"properties\": {\"age\": {\"type\": \"integer\"}}}"}`,
				Want:   `{"is_valid_json": false}`,
			},
			{
				About:   "a schema that is none",
				Input:   `{"text": "{}"}`,
				Config:  `{"enable_schema_validation": true, "schema_string": "{\"type\": 7}"}`,
				Refused: "config.schema_string is not a valid JSON Schema",
			},
		},
	}
}

// schema returns the schema to satisfy, "" for none.
func (c jsonValidatorConfig) schema() string {
	if !c.Enabled {
		return ""
	}
	return strings.TrimSpace(string(c.Schema.Value))
}

// notJSON says why a text is no JSON, of which read is what stands in its code fence.
func notJSON(text, read string) eval.Judged {
	var value json.RawMessage
	var syntax *json.SyntaxError
	switch inside := unfenced(read); {
	case strings.TrimSpace(read) == "":
		return reasoned("The text is empty.")
	case inside != read && json.Valid([]byte(inside)):
		return reasoned("A Markdown code fence surrounds the JSON.")
	case !errors.As(json.Unmarshal([]byte(read), &value), &syntax) || syntax.Error() == endOfJSON:
		return reasoned("The text ends before the JSON is complete.")
	}
	at := int(syntax.Offset) - 1
	_, size := utf8.DecodeRuneInString(read[at:])
	at += strings.Index(text, read)
	return reasoned("The text is not valid JSON: a character is not allowed in its place.", eval.Evidence{Input: "text", Start: at, End: at + size})
}

// endOfJSON is what the decoder says of a text that is cut off.
const endOfJSON = "unexpected end of JSON input"

// unfenced returns what is inside of the one Markdown code fence that a text is, and a
// text that is none as it is.
func unfenced(text string) string {
	trimmed := strings.TrimSpace(text)
	inside := strings.TrimLeft(trimmed, "`")
	fence := trimmed[:len(trimmed)-len(inside)]
	language, inside, lines := strings.Cut(inside, "\n")
	body, closed := strings.CutSuffix(inside, fence)
	if len(fence) < len("```") || !lines || !closed || strings.Contains(language, "`") || !strings.HasSuffix(strings.TrimRight(body, " \t"), "\n") {
		return text
	}
	return body
}
