// SPDX-License-Identifier: Apache-2.0

package mask

import (
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Clients send names twice and bytes that are not UTF-8; it is JSON all the same.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// token is a string or a number of a JSON text.
type token struct {
	start, end int // with the quotation marks
	number     bool
	name       bool // of a member of an object
}

// tokens returns the strings and numbers of a text that is a JSON object, array or string;
// false for any other text.
func tokens(text string) ([]token, bool) {
	if trimmed := strings.TrimLeft(text, " \t\r\n"); trimmed == "" || strings.IndexByte(`{["`, trimmed[0]) < 0 {
		return nil, false
	}
	if !jsontext.Value(text).IsValid(lenient...) {
		return nil, false
	}
	var all []token
	dec := jsontext.NewDecoder(strings.NewReader(text), lenient...)
	for {
		kind := dec.PeekKind()
		if kind != '"' && kind != '0' {
			if _, err := dec.ReadToken(); err != nil {
				return all, true // the end: it is valid
			}
			continue
		}
		in, n := dec.StackIndex(dec.StackDepth())
		value, err := dec.ReadValue()
		if err != nil {
			return nil, false
		}
		end := int(dec.InputOffset())
		all = append(all, token{end - len(value), end, kind == '0', in == '{' && n%2 == 0})
	}
}

// unquoted returns the text of a JSON string.
func unquoted(raw string) string {
	text, _ := jsontext.AppendUnquote(nil, raw) // what is not UTF-8 becomes U+FFFD, which is no error here
	return string(text)
}

// quoted returns a text as a JSON string.
func quoted(text string) string {
	raw, _ := jsontext.AppendQuote(nil, text) // as above
	return string(raw)
}

// projected returns pieces of a JSON text, which are in order and overlap one of its
// strings, as pieces of the text of that string. Of an escape that is only half in
// a piece nothing is: by itself it means something else.
func projected(pieces []piece, raw string, at token) []piece {
	var all []piece
	in, out := at.start+1, 0
	for _, p := range pieces {
		start, end := max(p.start, at.start+1), min(p.end, at.end-1)
		p.start, p.end = -1, -1
		for in < end {
			size, made := unit(raw[in : at.end-1])
			if in >= start && in+size <= end {
				if p.start < 0 {
					p.start = out
				}
				p.end = out + made
			}
			in, out = in+size, out+made
		}
		if p.start >= 0 {
			all = append(all, p)
		}
	}
	return all
}

// unit returns how many bytes the first character of the inside of a JSON string has, and
// how many it stands for.
// https://www.rfc-editor.org/rfc/rfc8259#section-7
func unit(raw string) (size, made int) {
	if raw[0] != '\\' {
		r, size := utf8.DecodeRuneInString(raw)
		return size, utf8.RuneLen(r)
	}
	size = len(`\n`)
	if strings.HasPrefix(raw, `\u`) {
		size = len(`\u0000`)
		if pair := size + len(`\u0000`); len(raw) >= pair && raw[size] == '\\' && len(unquoted(`"`+raw[:pair]+`"`)) == utf8.UTFMax {
			size = pair
		}
	}
	return size, len(unquoted(`"` + raw[:size] + `"`))
}
