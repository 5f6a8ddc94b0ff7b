// SPDX-License-Identifier: Apache-2.0

package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

// shape is a struct of inputs or of settings, its tags read and its setters
// chosen once.
type shape struct {
	section  string // input or config
	required bool   // some field is
	members  []member
	// raw is a struct with the same JSON names whose fields are all raw
	// values: so keys match exactly as encoding/json matches them, and
	// missing and null differ from empty.
	raw reflect.Type
}

type member struct {
	Field

	missing error // what fill says when the part is not there
	read    func(m *member, raw []byte, dst reflect.Value) error
	write   func(m *member, text string, dst reflect.Value) error
}

// missingPart is ErrMissingInput for one field, made once: on most spans of a
// busy pipeline some evaluator does not apply.
type missingPart string

func (m missingPart) Error() string { return string(m) }

func (m missingPart) Is(target error) bool { return target == ErrMissingInput }

// newShape reads the tags of t. The values of defaults, if there are any, go
// into the fields' Default.
func newShape(section string, t reflect.Type, defaults reflect.Value) (*shape, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%s is no struct but %s", section, t)
	}
	s := &shape{section: section}
	raws := make([]reflect.StructField, t.NumField())
	for i := range t.NumField() {
		sf := t.Field(i)
		f, err := newField(section, sf)
		if err != nil {
			return nil, err
		}
		if defaults.IsValid() && !f.JSONText && !f.Required && (f.Type != String || !defaults.Field(i).IsZero()) {
			f.Default = defaults.Field(i).Interface()
		}
		m := member{Field: f}
		m.missing = missingPart(fmt.Sprintf("%s.%s: %v", section, f.Name, ErrMissingInput))
		m.read, m.write = setters(f)
		s.members = append(s.members, m)
		s.required = s.required || f.Required
		raws[i] = reflect.StructField{
			Name: sf.Name,
			Type: reflect.TypeFor[json.RawMessage](),
			Tag:  reflect.StructTag(`json:"` + f.Name + `"`),
		}
	}
	s.raw = reflect.StructOf(raws)
	return s, nil
}

func (s *shape) schema() []Field {
	fields := make([]Field, len(s.members))
	for i, m := range s.members {
		fields[i] = m.Field
	}
	return fields
}

// decode fills dst, a struct of the shape's type, from a JSON object. Fields
// that are not given keep what they hold.
func (s *shape) decode(text json.RawMessage, dst reflect.Value) error {
	text = trimJSON(text)
	switch {
	case len(text) == 0 || string(text) == "null":
		if s.section == "input" {
			return fault.New(fault.Invalid, "%s is required", s.section)
		}
		text = json.RawMessage("{}")
	case text[0] != '{':
		return fault.New(fault.Invalid, "%s must be an object", s.section)
	}
	raw := reflect.New(s.raw)
	if err := json.Unmarshal(text, raw.Interface()); err != nil {
		return fault.New(fault.Invalid, "%s is not valid JSON", s.section)
	}
	for i := range s.members {
		m := &s.members[i]
		given := raw.Elem().Field(i).Bytes()
		if len(given) == 0 || string(given) == "null" {
			if m.Required {
				return fault.New(fault.Invalid, "%s.%s is required", s.section, m.Name)
			}
			continue
		}
		if err := m.read(m, given, dst.Field(i)); err != nil {
			return s.refuse(m, err)
		}
	}
	return nil
}

// fill sets dst, a struct of the shape's type, from what get gives of a span
// and reports whether a text had to be cut.
func (s *shape) fill(get func(f *Field) (string, bool), dst reflect.Value) (cut bool, err error) {
	for i := range s.members {
		m := &s.members[i]
		text, ok := get(&m.Field)
		if !ok {
			if m.Required {
				return false, m.missing
			}
			continue
		}
		text, long := CutText(text)
		if long && m.Whole {
			return false, s.refuse(m, errTooLong)
		}
		cut = cut || long
		if err := m.write(m, text, dst.Field(i)); err != nil {
			return false, s.refuse(m, err)
		}
	}
	return cut, nil
}

// CutText returns the first MaxText bytes of a text, less a broken last rune, and
// whether it has more.
func CutText(text string) (most string, cut bool) {
	most = textcut.Bytes(text, MaxText)
	return most, len(most) < len(text)
}

// refuse makes the fault of a predicate such as "must be a string".
func (s *shape) refuse(m *member, predicate error) error {
	kind := fault.Invalid
	if errors.Is(predicate, errTooLong) {
		kind = fault.TooLarge
	}
	return fault.New(kind, "%s.%s %s", s.section, m.Name, predicate.Error())
}

// trimJSON returns text without the white space that JSON allows around a
// value (RFC 8259, 2). Other white space is part of it and makes it invalid.
func trimJSON(text json.RawMessage) json.RawMessage { return bytes.Trim(text, " \t\r\n") }
