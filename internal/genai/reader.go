// SPDX-License-Identifier: Apache-2.0

package genai

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
	repeatedNames = jsontext.AllowDuplicateNames(true)
	invalidUTF8   = jsontext.AllowInvalidUTF8(true)
)

var errTrailing = errors.New("text after the JSON value")

// reader walks one JSON document. Its first error sticks: from then on there
// is nothing more and every value is the zero one. Nesting beyond the 10,000
// levels of jsontext is such an error.
type reader struct {
	text string
	dec  jsontext.Decoder
	err  error
}

func read(text string) *reader {
	r := &reader{text: text}
	r.dec.Reset(bytes.NewBuffer([]byte(text)), repeatedNames, invalidUTF8)
	return r
}

// ok reports whether the document was read to its end without an error.
func (r *reader) ok() bool {
	if r.err == nil {
		if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
			r.err = errTrailing
		}
	}
	return r.err == nil
}

// enter steps into an array or object, if that comes next.
func (r *reader) enter(kind jsontext.Kind) bool {
	if r.err != nil || r.dec.PeekKind() != kind {
		return false
	}
	_, r.err = r.dec.ReadToken()
	return r.err == nil
}

// more reports whether the array or object entered last goes on, and leaves it
// when it does not.
func (r *reader) more() bool {
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

// name returns the next member's name.
func (r *reader) name() string { return r.value().string() }

// value returns the next value whole.
func (r *reader) value() value {
	if r.err != nil {
		return value{}
	}
	kind := r.dec.PeekKind()
	start := r.dec.InputOffset()
	if r.err = r.dec.SkipValue(); r.err != nil {
		return value{}
	}
	raw := r.text[start:r.dec.InputOffset()]
	return value{kind: kind, raw: strings.TrimLeft(raw, " \t\r\n,:")}
}

// value is a JSON value as it was written; the zero value is none at all.
type value struct {
	kind jsontext.Kind
	raw  string
}

// string returns a string's text, "" for any other value.
func (v value) string() string {
	if v.kind != '"' {
		return ""
	}
	if strings.IndexByte(v.raw, '\\') < 0 {
		return v.raw[1 : len(v.raw)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, v.raw) // the raw text is valid, but for surrogates
	return clean(string(text))
}

// present reports whether there is a value other than null.
func (v value) present() bool { return v.kind != 0 && v.kind != 'n' }

// asText returns a string's text, "" for null or nothing, compact JSON else.
func (v value) asText() string {
	switch {
	case v.kind == '"':
		return v.string()
	case v.present():
		return v.compact()
	}
	return ""
}

// compact returns the value as JSON without white space, strings in their
// shortest spelling; members and numbers stay as they were written.
func (v value) compact() string {
	if !strings.ContainsAny(v.raw, " \t\r\n\\") {
		return v.raw
	}
	text, err := jsontext.AppendFormat(nil, v.raw, repeatedNames, invalidUTF8)
	if err != nil {
		return v.raw
	}
	return string(text)
}

// memberText returns the text of the first member of this name of the JSON
// object in text, "" if there is none or text is something else.
func memberText(text, name string) string {
	found, _ := members(text, name)
	return found[0].asText()
}

// members returns the first members with these names of the JSON object in
// text; ok is false when text is something else.
func members(text string, names ...string) (found []value, ok bool) {
	found = make([]value, len(names))
	r := read(text)
	if !r.enter('{') {
		return found, false
	}
	for r.more() {
		name, v := r.name(), r.value()
		for i := range names {
			if names[i] == name && found[i].kind == 0 {
				found[i] = v
			}
		}
	}
	if !r.ok() {
		clear(found)
		return found, false
	}
	return found, true
}

// elements returns those of the JSON array in text, not more than 10,000; none
// when text is something else.
func elements(text string) []value {
	r := read(text)
	if !r.enter('[') {
		return nil
	}
	var list []value
	for r.more() {
		if v := r.value(); len(list) < maxMessages {
			list = append(list, v)
		}
	}
	if !r.ok() {
		return nil
	}
	return list
}
