// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// Type is the type of a field.
type Type string

// The types of fields.
const (
	String  Type = "string"
	Float   Type = "float"
	Integer Type = "integer"
	Boolean Type = "boolean"
)

// Field is one value that an evaluator takes or gives.
type Field struct {
	Name        string
	Type        Type
	Description string
	// Required fields are refused when missing or null.
	Required bool
	// JSONText says that the field is a text that holds JSON; the list or object itself is
	// taken too.
	JSONText bool
	// Values are all that a text may be, nil where it is free.
	Values []string
	// Min and Max are inclusive bounds of a number, nil where there is none.
	Min, Max *float64
	// Default is the value of a config field that is left out, nil when that
	// is the zero text.
	Default any
	// Part is the part of a span that fills an input field, "" if none can.
	Part span.Part
	// Whole texts are refused over MaxText on spans too, where others are cut.
	Whole bool
}

// MarshalJSON returns the field as input_schema and output_schema show it.
// Those know no integers: a client that reads a float reads every integer.
func (f Field) MarshalJSON() ([]byte, error) {
	shown := f.Type
	if shown == Integer {
		shown = Float
	}
	return json.Marshal(SchemaField{shown, f.Name, f.Description})
}

// SchemaField is a Field as input_schema and output_schema show it.
type SchemaField struct {
	Type        Type   `json:"type" doc:"The type of the value." enum:"string,float,boolean"`
	Name        string `json:"name" doc:"The name."`
	Description string `json:"description" doc:"The meaning."`
}

// JSONSchema returns the schema of what MarshalJSON writes.
func (Field) JSONSchema(of func(any) map[string]any) map[string]any { return of(SchemaField{}) }

var (
	namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	encodedType = reflect.TypeFor[jsonText]()
)

// newField reads the tags of a struct field of a section.
func newField(section string, sf reflect.StructField) (Field, error) {
	fail := func(format string, args ...any) (Field, error) {
		return Field{}, fmt.Errorf("%s field %s: %s", section, sf.Name, fmt.Sprintf(format, args...))
	}
	f := Field{Name: sf.Tag.Get("json"), Description: sf.Tag.Get("doc"), Part: span.Part(sf.Tag.Get("span"))}
	if !sf.IsExported() || !namePattern.MatchString(f.Name) {
		return fail("must be exported and have a json name")
	}
	if f.Description == "" {
		return fail("doc is missing")
	}
	switch {
	case reflect.PointerTo(sf.Type).Implements(encodedType):
		f.Type, f.JSONText = String, true
	case sf.Type == reflect.TypeFor[string]():
		f.Type = String
	case sf.Type == reflect.TypeFor[bool]():
		f.Type = Boolean
	case sf.Type == reflect.TypeFor[float64]():
		f.Type = Float
	case sf.Type == reflect.TypeFor[int](), sf.Type == reflect.TypeFor[int64]():
		f.Type = Integer
	default:
		return fail("type %s is not supported", sf.Type)
	}
	if section == "input" && f.Type != String || section == "output" && f.JSONText {
		return fail("type %s is not supported here", sf.Type)
	}
	f.Whole = f.JSONText || sf.Tag.Get("whole") == "true"
	switch need := sf.Tag.Get("need"); need {
	case "":
	case "required":
		f.Required = true
	default:
		return fail("need is %q", need)
	}
	if f.Part != "" && !f.Part.Known() {
		return fail("there is no span part %q", f.Part)
	}
	var err error
	if f.Min, err = bound(sf, "min"); err != nil {
		return fail("%v", err)
	}
	if f.Max, err = bound(sf, "max"); err != nil {
		return fail("%v", err)
	}
	return f, nil
}

func bound(sf reflect.StructField, tag string) (*float64, error) {
	text, ok := sf.Tag.Lookup(tag)
	if !ok {
		return nil, nil
	}
	limit, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tag, err)
	}
	return &limit, nil
}
