// SPDX-License-Identifier: Apache-2.0

package valuetext

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Foreign JSON repeats names and holds lone surrogates; neither is a reason
// to lose the messages in it.
var (
	RepeatedNames = jsontext.AllowDuplicateNames(true)
	InvalidUTF8   = jsontext.AllowInvalidUTF8(true)
)

// maxElements is how many elements of an array are read.
const maxElements = 10_000

var errTrailing = errors.New("text after the JSON value")

// Reader walks one JSON document. Its first error sticks: from then on there
// is nothing more and every value is the zero one. Nesting beyond the 10,000
// levels of jsontext is such an error.
type Reader struct {
	text string
	dec  jsontext.Decoder
	err  error
}

// Read returns a reader of the JSON document in text.
func Read(text string) *Reader {
	r := &Reader{text: text}
	r.dec.Reset(bytes.NewBuffer([]byte(text)), RepeatedNames, InvalidUTF8)
	return r
}

// OK reports whether the document was read to its end without an error.
func (r *Reader) OK() bool {
	if r.err == nil {
		if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
			r.err = errTrailing
		}
	}
	return r.err == nil
}

// Enter steps into an array or object, if that comes next.
func (r *Reader) Enter(kind jsontext.Kind) bool {
	if r.err != nil || r.dec.PeekKind() != kind {
		return false
	}
	_, r.err = r.dec.ReadToken()
	return r.err == nil
}

// More reports whether the array or object entered last goes on, and leaves it
// when it does not.
func (r *Reader) More() bool {
	if r.err != nil {
		return false
	}
	switch r.dec.PeekKind() {
	case '}', ']', jsontext.KindInvalid:
		_, r.err = r.dec.ReadToken()
		return false
	}
	return true
}

// Next returns the kind of what comes next.
func (r *Reader) Next() jsontext.Kind {
	if r.err != nil {
		return 0
	}
	return r.dec.PeekKind()
}

// Name returns the next member's name.
func (r *Reader) Name() string { return r.Value().Text() }

// Broken reports whether the document could not be read on.
func (r *Reader) Broken() bool { return r.err != nil }

// Offset returns how many bytes were read.
func (r *Reader) Offset() int64 { return r.dec.InputOffset() }

// Object returns the JSON object that was read since an offset.
func (r *Reader) Object(since int64) Value {
	return Value{Kind: '{', Raw: trimmed(r.text[since:r.dec.InputOffset()])}
}

// trimmed returns the text of a value without what stands before it.
func trimmed(text string) string { return strings.TrimLeft(text, " \t\r\n,:") }

// Value returns the next value whole.
func (r *Reader) Value() Value {
	if r.err != nil {
		return Value{}
	}
	kind := r.dec.PeekKind()
	start := r.dec.InputOffset()
	if r.err = r.dec.SkipValue(); r.err != nil {
		return Value{}
	}
	return Value{Kind: kind, Raw: trimmed(r.text[start:r.dec.InputOffset()])}
}

// Value is a JSON value as it was written; the zero value is none at all.
type Value struct {
	Kind jsontext.Kind
	Raw  string
}

// Text returns a string's text, "" for any other value.
func (v Value) Text() string {
	if v.Kind != '"' {
		return ""
	}
	if strings.IndexByte(v.Raw, '\\') < 0 {
		return v.Raw[1 : len(v.Raw)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, v.Raw) // the raw text is valid, but for surrogates
	return Valid(string(text))
}

// Present reports whether there is a value other than null.
func (v Value) Present() bool { return v.Kind != 0 && v.Kind != 'n' }

// AsText returns a string's text, "" for null or nothing, compact JSON else.
func (v Value) AsText() string {
	switch {
	case v.Kind == '"':
		return v.Text()
	case v.Present():
		return v.Compact()
	}
	return ""
}

// Compact returns the value as JSON without white space, strings in their
// shortest spelling; members and numbers stay as they were written.
func (v Value) Compact() string {
	if !strings.ContainsAny(v.Raw, " \t\r\n\\") {
		return v.Raw
	}
	text, err := jsontext.AppendFormat(nil, v.Raw, RepeatedNames, InvalidUTF8)
	if err != nil {
		return v.Raw
	}
	return string(text)
}

// MemberText returns the text of the first member of this name of the JSON
// object in text, "" if there is none or text is something else.
func MemberText(text, name string) string {
	found, _ := Members(text, name)
	return found[0].AsText()
}

// Members returns the first members with these names of the JSON object in
// text; ok is false when text is something else.
func Members(text string, names ...string) (found []Value, ok bool) {
	found = make([]Value, len(names))
	r := Read(text)
	if !r.Enter('{') {
		return found, false
	}
	for r.More() {
		name, v := r.Name(), r.Value()
		for i := range names {
			if names[i] == name && found[i].Kind == 0 {
				found[i] = v
			}
		}
	}
	if !r.OK() {
		clear(found)
		return found, false
	}
	return found, true
}

// Elements returns those of the JSON array in text, not more than 10,000; none
// when text is something else.
func Elements(text string) []Value {
	r := Read(text)
	if !r.Enter('[') {
		return nil
	}
	var list []Value
	for r.More() {
		if v := r.Value(); len(list) < maxElements {
			list = append(list, v)
		}
	}
	if !r.OK() {
		return nil
	}
	return list
}
