// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"bytes"
	"encoding/json"
)

// answerSchema is the JSON schema of an answer with these outputs, which stand
// in their author's order: a judge answers them in it.
func answerSchema(fields []CustomField) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quoted(f.Name))
		b.WriteString(`:{"type":`)
		b.Write(quoted(f.schemaType()))
		if f.Type == CustomEnum {
			b.WriteString(`,"enum":`)
			b.Write(quoted(f.Values))
		}
		if about := f.about(); about != "" {
			b.WriteString(`,"description":`)
			b.Write(quoted(about))
		}
		b.WriteByte('}')
	}
	b.WriteString(`},"required":[`)
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quoted(f.Name))
	}
	b.WriteString(`],"additionalProperties":false}`)
	return b.Bytes()
}

// quoted is a text or a list of texts as JSON, which always is possible.
func quoted[T string | []string](v T) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return text
}

func (f *CustomField) schemaType() string {
	switch f.Type {
	case CustomInt:
		return "integer"
	case CustomFloat, CustomNumber:
		return "number"
	case CustomBoolean:
		return "boolean"
	case CustomString, CustomEnum:
	}
	return "string"
}

// about describes the field to a judge.
func (f *CustomField) about() string {
	if f.Description != "" {
		return f.Description
	}
	return f.Label
}
