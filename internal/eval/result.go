// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Result is a verdict.
type Result struct {
	// Outputs are all the evaluator gives, in the order of its schema. Texts
	// are valid UTF-8 and numbers are finite.
	Outputs []Output
	Judged
	Backend Backend
	// Truncated says that a text was cut to MaxText before it was judged, or to what a
	// judge is sent at most.
	Truncated bool
	// Language is the one of the text, in ISO 639-1, where the evaluator knows
	// only some languages; "" if it is not clear.
	Language string
	// Version is that of the prompts a judge was asked with, "" without one.
	Version string
	// Model is what answered last, as its server names it; Cached says that no
	// answer had to be asked for.
	Model  string
	Cached bool
	// Usage is what models took; it is set when there is an error too.
	Usage Usage
}

// MarshalJSON returns the outputs as an object by their names, and the other answers,
// them, which is the body of the answer.
func (r Result) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, o := range r.members() {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(o.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(o.Value)
		if err != nil {
			return nil, fmt.Errorf("output %s: %w", o.Name, err)
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// members are the outputs, and the other answers as far as no output has their name.
func (r *Result) members() []Output {
	list := slices.Clone(r.Outputs)
	add := func(name string, value any, is bool) {
		if is && !slices.ContainsFunc(r.Outputs, func(o Output) bool { return o.Name == name }) {
			list = append(list, Output{Name: name, Value: value})
		}
	}
	add("score", r.Score, r.Score != nil)
	add("reason", r.Reason, r.Reason != "")
	add("evidence", r.Evidence, len(r.Evidence) > 0)
	add("uncertain", true, r.Uncertain)
	return list
}

// outputs is the struct of answers with its tags read.
type outputs struct {
	fields []Field
	judged bool // the last field of the struct is a Judged
}

func newOutputs(t reflect.Type) (*outputs, error) {
	if t.Kind() != reflect.Struct || t.NumField() == 0 {
		return nil, fmt.Errorf("output is no struct with fields but %s", t)
	}
	o := &outputs{}
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && f.Type == reflect.TypeFor[Judged]() && i > 0 && i == t.NumField()-1 {
			o.judged = true
			break
		}
		f, err := newField("output", t.Field(i))
		if err != nil {
			return nil, err
		}
		o.fields = append(o.fields, f)
	}
	return o, nil
}

// values reads the answers from src, a struct of the type.
func (o *outputs) values(src reflect.Value) ([]Output, error) {
	got := make([]Output, len(o.fields))
	for i := range o.fields {
		got[i].Name = o.fields[i].Name
		v := src.Field(i)
		switch o.fields[i].Type {
		case String:
			got[i].Value = strings.ToValidUTF8(v.String(), "\uFFFD")
		case Boolean:
			got[i].Value = v.Bool()
		case Integer:
			got[i].Value = v.Int()
		case Float:
			n := v.Float()
			if math.IsNaN(n) || math.IsInf(n, 0) {
				return nil, fmt.Errorf("output %s is not a finite number", o.fields[i].Name)
			}
			got[i].Value = n
		}
	}
	return got, nil
}

// beside reads the answers besides the outputs from src, a struct of the type.
func (o *outputs) beside(src reflect.Value) Judged {
	if !o.judged {
		return Judged{}
	}
	return src.Field(len(o.fields)).Interface().(Judged) //nolint:forcetypeassert // as newOutputs saw
}

// JSONSchema returns the schema of what MarshalJSON writes.
func (Result) JSONSchema(func(any) map[string]any) map[string]any {
	return map[string]any{
		"type": "object", "description": "The outputs by their names, and the grounds of the result: evidence is a list.",
		"additionalProperties": map[string]any{"type": []string{"string", "number", "boolean", "array"}},
	}
}
