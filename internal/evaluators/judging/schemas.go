// SPDX-License-Identifier: Apache-2.0

package judging

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Schemas of parts of a judge's answer.
const (
	Text    = `{"type":"string"}`
	Integer = `{"type":"integer"}`
	Number  = `{"type":"number"}`
	Boolean = `{"type":"boolean"}`
	YesOrNo = `{"type":"string","enum":["yes","no"]}`
)

// Verdicts is a verdict on each of numbered items.
var Verdicts = List(string(Object("index", Integer, "reason", Text, "verdict", YesOrNo)))

// JudgedItems are pieces of a text, each with a verdict: what Item is read from.
var JudgedItems = List(string(Object("text", Text, "reason", Text, "verdict", YesOrNo)))

// Object is an object of names and the schemas of their values, in that
// order. All are required.
func Object(namesAndSchemas ...string) json.RawMessage {
	var properties, required []string
	for i := 0; i+1 < len(namesAndSchemas); i += 2 {
		name := strconv.Quote(namesAndSchemas[i])
		properties = append(properties, name+":"+namesAndSchemas[i+1])
		required = append(required, name)
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") +
		`},"required":[` + strings.Join(required, ",") + `],"additionalProperties":false}`)
}

// List is a list of items of one schema.
func List(items string) string { return `{"type":"array","items":` + items + `}` }

// OneOf is one of a few JSON values.
func OneOf(kind string, values ...string) string {
	return `{"type":"` + kind + `","enum":[` + strings.Join(values, ",") + `]}`
}
