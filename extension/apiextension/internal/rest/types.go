// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Schemer is a type that says itself how its values are written, where its Go
// type does not. of returns the schema of another type.
type Schemer interface {
	JSONSchema(of func(v any) map[string]any) map[string]any
}

// Amender is a type of structs that says more of its schema than tags can.
type Amender interface{ AmendSchema(schema map[string]any) }

// use says what a type is used for: unknown members of answers are not allowed,
// and their members are required unless they may be left out.
type use bool

const (
	ofRequest use = false
	ofAnswer  use = true
)

// schemas makes the schemas of types. The fields of structs have these tags:
//
//	json     the name of the member
//	doc      its description
//	schema   words with blanks between: required, optional, nullable, open, or a
//	         keyword of JSON Schema with its value, such as maxLength=100;
//	         types=string,number is a list of types, elements those of elements
//	enum     its values, with commas between
//	pattern  its regular expression
//	must     what a value must be, in words
//	items    tags of the elements or members of the value
//
// A blank field of a struct has what is to be said of the struct itself, and
// with anyOf or oneOf sets of members with | between, of which one is required.
type schemas struct {
	components object
	types      map[string]component
}

type component struct {
	t   reflect.Type
	use use
}

func newSchemas() *schemas {
	return &schemas{components: object{}, types: map[string]component{}}
}

var (
	schemerType = reflect.TypeFor[Schemer]()
	timeType    = reflect.TypeFor[time.Time]()
	rawType     = reflect.TypeFor[json.RawMessage]()
)

// of returns the schema of a type: of a struct, a reference to its component.
func (s *schemas) of(t reflect.Type, u use) object {
	if t.Kind() != reflect.Pointer && t.Implements(schemerType) {
		return reflect.Zero(t).Interface().(Schemer).JSONSchema(func(v any) map[string]any { return s.of(reflect.TypeOf(v), u) })
	}
	switch t {
	case timeType:
		return object{"type": "string", "format": "date-time"}
	case rawType:
		return object{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem(), u)
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int64:
		return object{"type": "integer", "format": "int64"}
	case reflect.Int, reflect.Int32, reflect.Uint32, reflect.Uint64, reflect.Uint16, reflect.Uint8:
		return object{"type": "integer"}
	case reflect.Float64, reflect.Float32:
		return object{"type": "number"}
	case reflect.Slice, reflect.Array:
		items := s.of(t.Elem(), u)
		if len(items) == 0 {
			return object{"type": "array"}
		}
		return object{"type": "array", "items": items}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": s.of(t.Elem(), u)}
	case reflect.Interface:
		return object{}
	case reflect.Struct:
		return s.refer(t, u)
	}
	panic(fmt.Sprintf("a value of type %s has no schema", t))
}

func (s *schemas) refer(t reflect.Type, u use) object {
	if t.Name() == "" {
		return s.object(t, u)
	}
	name, wanted := componentName(t), component{t, u}
	if known, is := s.types[name]; is && known.t == t && known.use != u {
		name += map[use]string{ofRequest: "Request", ofAnswer: "Answer"}[u]
	}
	if known, is := s.types[name]; is && known != wanted {
		panic(fmt.Sprintf("schema %s is of %v and of %v", name, known.t, t))
	} else if !is {
		s.types[name] = wanted
		s.components[name] = s.object(t, u)
	}
	return object{"$ref": "#/components/schemas/" + name}
}

// componentName is the name of the type, which begins with a capital.
func componentName(t reflect.Type) string {
	name := []rune(t.Name())
	name[0] = unicode.ToUpper(name[0])
	return string(name)
}

func (s *schemas) object(t reflect.Type, u use) object {
	o := object{"type": "object"}
	if u == ofAnswer {
		o["additionalProperties"] = false
	}
	properties, required := object{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		name, optional := memberOf(&f)
		switch {
		case f.Name == "_" && len(f.Index) == 1:
			s.tagged(o, f.Tag)
			continue
		case name == "":
			continue
		}
		p, words := s.property(&f, u)
		properties[name] = p
		if slices.Contains(words, "required") || u == ofAnswer && !optional && !slices.Contains(words, "optional") {
			required = append(required, name)
		}
	}
	if len(properties) > 0 {
		o["properties"] = properties
	}
	if len(required) > 0 {
		o["required"] = required
	}
	if more, is := reflect.Zero(t).Interface().(Amender); is {
		more.AmendSchema(o)
	}
	return o
}

// memberOf returns the name of the member that a field is, "" for none, and
// whether an answer may leave it out.
func memberOf(f *reflect.StructField) (name string, optional bool) {
	tag, has := f.Tag.Lookup("json")
	if !has || !f.IsExported() {
		return "", false
	}
	name, options, _ := strings.Cut(tag, ",")
	if name == "-" {
		return "", false
	}
	return name, strings.Contains(options, "omit")
}

// bodyOf returns the type of the body that an input has, nil for none, and the
// field that it is, nil where it is the input itself.
func bodyOf(t reflect.Type) (body reflect.Type, field []int) {
	if t.Kind() != reflect.Struct || t.Implements(schemerType) {
		return t, nil
	}
	for _, f := range reflect.VisibleFields(t) {
		if _, is := f.Tag.Lookup("body"); is {
			return f.Type, f.Index
		}
		if name, _ := memberOf(&f); name != "" {
			return t, nil
		}
	}
	return nil, nil
}

// property returns the schema of a field, and the words of its tag schema that
// are no keywords.
func (s *schemas) property(f *reflect.StructField, u use) (p object, words []string) {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	p = s.of(t, u)
	if _, refers := p["$ref"]; refers && slices.Contains(strings.Fields(f.Tag.Get("schema")), "nullable") {
		p = s.object(t, u) // a reference would be one of two schemas, and errors would name both
	}
	if strings.HasSuffix(f.Tag.Get("json"), ",string") { // numbers that JavaScript would round
		p = object{"type": "string"}
	}
	return p, s.tagged(p, f.Tag)
}

// tagged adds to a schema what tags say.
func (s *schemas) tagged(p object, tag reflect.StructTag) (words []string) {
	if text, has := tag.Lookup("doc"); has {
		p["description"] = text
	}
	words = keywords(p, tag.Get("schema"))
	if text, has := tag.Lookup("enum"); has {
		values := []any{}
		for value := range strings.SplitSeq(text, ",") {
			values = append(values, value)
		}
		if types, is := p["type"].([]string); is && slices.Contains(types, "null") {
			values = append(values, nil)
		}
		p["enum"] = values
	}
	for name, keyword := range map[string]string{"pattern": "pattern", "must": mustBe} {
		if text, has := tag.Lookup(name); has {
			p[keyword] = text
		}
	}
	if text, has := tag.Lookup("items"); has {
		for _, keyword := range []string{"items", "additionalProperties"} {
			if of, is := p[keyword].(object); is {
				s.tagged(of, reflect.StructTag(text))
			}
		}
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if text, has := tag.Lookup(keyword); has {
			var sets []any
			for set := range strings.SplitSeq(text, "|") {
				sets = append(sets, object{"required": strings.Split(set, ",")})
			}
			p[keyword] = sets
		}
	}
	return words
}

// keywords adds to a schema what the words of a tag say, and returns them.
func keywords(p object, text string) (words []string) {
	words = strings.Fields(text)
	for _, word := range words {
		keyword, value, valued := strings.Cut(word, "=")
		switch {
		case keyword == "types":
			p["type"] = typesOf(value)
		case keyword == "elements":
			p["items"] = object{"type": typesOf(value)}
		case word == "nullable":
			nullable(p)
		case word == "open":
			delete(p, "additionalProperties")
		case valued:
			var v any = value
			if err := json.Unmarshal([]byte(value), &v); err != nil {
				v = value
			}
			p[keyword] = v
		}
	}
	return words
}

// typesOf returns the names of types with commas between, and one alone as it is.
func typesOf(text string) any {
	if list := strings.Split(text, ","); len(list) > 1 {
		return list
	}
	return text
}

// nullable lets a schema take null.
func nullable(p object) {
	switch t := p["type"].(type) {
	case string:
		p["type"] = []string{t, "null"}
	case []string:
		p["type"] = append(t, "null")
	}
	if ref, is := p["$ref"]; is {
		delete(p, "$ref")
		p["anyOf"] = []any{object{"$ref": ref}, object{"type": "null"}}
	}
}

// parameters returns the parameters that a type has, and whether any is of the
// query or a header.
func (s *schemas) parameters(t reflect.Type) (all []any, besidesPath bool) {
	if t.Kind() != reflect.Struct {
		return nil, false
	}
	for _, f := range reflect.VisibleFields(t) {
		in, name := parameterOf(&f)
		if name == "" {
			continue
		}
		p, words := s.property(&f, ofRequest)
		parameter := object{"name": name, "in": in, "schema": p}
		if text, has := p["description"]; has {
			delete(p, "description")
			parameter["description"] = text
		}
		if in == "path" || slices.Contains(words, "required") {
			parameter["required"] = true
		}
		if p["type"] == "object" || slices.Contains(words, "json") {
			delete(parameter, "schema")
			parameter["content"] = content("application/json", p)
		}
		besidesPath = besidesPath || in == "query"
		all = append(all, parameter)
	}
	return all, besidesPath
}

// parameterOf returns where a parameter stands that a field is, and its name, ""
// for none.
func parameterOf(f *reflect.StructField) (in, name string) {
	for _, in := range []string{"path", "query", "header"} {
		if name, has := f.Tag.Lookup(in); has {
			return in, name
		}
	}
	return "", ""
}
