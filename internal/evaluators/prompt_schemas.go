// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Schemas of parts of a judge's answer.
const (
	textSchema    = `{"type":"string"}`
	integerSchema = `{"type":"integer"}`
	numberSchema  = `{"type":"number"}`
	booleanSchema = `{"type":"boolean"}`
	yesNoSchema   = `{"type":"string","enum":["yes","no"]}`
)

// verdictSchema is a verdict on each of numbered items.
var verdictSchema = listSchema(string(objectSchema("index", integerSchema, "reason", textSchema, "verdict", yesNoSchema)))

// objectSchema is an object of names and the schemas of their values, in that
// order. All are required.
func objectSchema(namesAndSchemas ...string) json.RawMessage {
	var properties, required []string
	for i := 0; i+1 < len(namesAndSchemas); i += 2 {
		name := strconv.Quote(namesAndSchemas[i])
		properties = append(properties, name+":"+namesAndSchemas[i+1])
		required = append(required, name)
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") +
		`},"required":[` + strings.Join(required, ",") + `],"additionalProperties":false}`)
}

func listSchema(items string) string { return `{"type":"array","items":` + items + `}` }

// oneOfSchema is one of a few JSON values.
func oneOfSchema(kind string, values ...string) string {
	return `{"type":"` + kind + `","enum":[` + strings.Join(values, ",") + `]}`
}
