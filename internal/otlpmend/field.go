// SPDX-License-Identifier: Apache-2.0

package otlpmend

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// field reads the value of a field, and mends it or its member's name.
func (w *walk) field(name member, f field) {
	c := w.peek()
	switch f.form {
	case object, objects, numbers:
		w.nested(name, f, c)
		return
	case int64s, uint64s:
		if c == '{' {
			w.halves(name, f)
			return
		}
	}
	switch c {
	case '{', '[':
		w.omit(name, Broken)
		w.pass()
	case '"':
		from := w.pos
		written, ok := w.quoted()
		if !ok {
			w.failed = true
			return
		}
		if f.form == text {
			return
		}
		w.apply(name, from, w.pos, f.ofText(written))
	default:
		from := w.pos
		written := w.scalar()
		if len(written) == 0 {
			w.failed = true
			return
		}
		w.apply(name, from, w.pos, f.ofScalar(written))
	}
}

// nested reads a message or a list.
func (w *walk) nested(name member, f field, c byte) {
	open := byte('[')
	if f.form == object {
		open = '{'
	}
	if c == open && f.name != "" {
		w.replace(name.from, name.to, []byte(strconv.Quote(f.name)), Former)
	}
	switch {
	case c == open && f.form == object:
		w.object(f.to)
	case c == open:
		w.list('[', ']', func() { w.element(f) })
	case bytes.HasPrefix(w.in[w.pos:], []byte("null")):
		w.skip() // as if it were not there
	default:
		w.omit(name, Broken)
		w.pass()
	}
}

// element reads an element of a list.
func (w *walk) element(f field) {
	c := w.peek()
	from := w.pos
	switch {
	case f.form == objects && c == '{':
		w.object(f.to)
		return
	case f.form == objects:
		w.skip()
		if string(w.in[from:w.pos]) != "null" && !w.failed {
			w.replace(from, w.pos, []byte("{}"), Broken)
		}
		return
	}
	found := verdict{reason: Broken, absent: true}
	switch c {
	case '{', '[':
		w.skip()
	case '"':
		written, ok := w.quoted()
		if !ok {
			w.failed = true
			return
		}
		found = field{form: f.of}.ofText(written)
	default:
		found = field{form: f.of}.ofScalar(w.scalar())
	}
	switch {
	case w.failed:
	case found.absent:
		w.replace(from, w.pos, []byte("0"), found.reason)
	case found.value != nil:
		w.replace(from, w.pos, found.value, found.reason)
	}
}

// halves reads a number of 64 bits in two, as JavaScript's SDKs once wrote
// times: {"low": …, "high": …}.
// https://github.com/open-telemetry/opentelemetry-js/blob/main/experimental/packages/otlp-transformer/src/common/utils.ts
func (w *walk) halves(name member, f field) {
	from := w.pos
	w.skip()
	if w.failed {
		return
	}
	var long struct{ Low, High *int64 }
	if err := json.Unmarshal(w.in[from:w.pos], &long); err != nil || long.Low == nil || long.High == nil {
		w.apply(name, from, w.pos, verdict{absent: true, reason: Broken})
		return
	}
	bits := uint64(uint32(*long.High))<<32 | uint64(uint32(*long.Low))
	value := strconv.FormatUint(bits, 10)
	if f.form == int64s {
		value = strconv.FormatInt(int64(bits), 10)
	}
	w.apply(name, from, w.pos, verdict{value: []byte(value), reason: Form})
}

// verdict is what becomes of a value: it stays, is absent, or is rewritten,
// perhaps under another name.
type verdict struct {
	absent bool
	value  []byte
	name   string
	reason Reason
}

// apply does what v says of the value in[from:to] of a member.
func (w *walk) apply(name member, from, to int, v verdict) {
	switch {
	case v.absent:
		w.omit(name, v.reason)
		w.replace(from, to, null, v.reason)
		w.mended[v.reason]--
	case v.value == nil:
	default:
		if v.name != "" {
			w.replace(name.from, name.to, []byte(strconv.Quote(v.name)), v.reason)
			w.mended[v.reason]--
		}
		w.replace(from, to, v.value, v.reason)
	}
}

// unquoted returns the text that is written between quotes.
func unquoted(written []byte) string {
	if bytes.IndexByte(written, '\\') < 0 {
		return string(written)
	}
	var s string
	if json.Unmarshal([]byte(`"`+string(written)+`"`), &s) != nil {
		return ""
	}
	return s
}

// ofScalar judges a value that is neither text nor bracket.
func (f field) ofScalar(written []byte) verdict {
	s := string(written)
	switch s {
	case "null", "NaN", "Infinity", "-Infinity", "undefined":
		return verdict{absent: true, reason: Absent}
	}
	switch f.form {
	case text:
		quoted, err := json.Marshal(s)
		return verdict{value: quoted, absent: err != nil, reason: Form}
	case boolean:
		switch s {
		case "true", "false":
			return verdict{}
		case "1", "0":
			return verdict{value: strconv.AppendBool(nil, s == "1"), reason: Form}
		}
	case double:
		return floating(s, false, true)
	case enum:
		return f.member(s, false, true)
	case int32s, uint32s, int64s, uint64s:
		return f.whole(s, true)
	}
	return verdict{absent: true, reason: Broken}
}

// ofText judges a value that is a text and whose field is none.
func (f field) ofText(written []byte) verdict {
	switch f.form {
	case id:
		return identifier(unquoted(written), f.size)
	case bytes64:
		return base64Of(written)
	}
	s := strings.TrimSpace(unquoted(written))
	asWritten := s == string(written)
	switch f.form {
	case boolean:
		if b, err := strconv.ParseBool(strings.ToLower(s)); err == nil {
			return verdict{value: strconv.AppendBool(nil, b), reason: Form}
		}
	case double:
		return floating(s, true, asWritten)
	case enum:
		return f.member(s, true, asWritten)
	case int32s, uint32s, int64s, uint64s:
		return f.whole(s, asWritten)
	}
	return verdict{absent: true, reason: Broken}
}
