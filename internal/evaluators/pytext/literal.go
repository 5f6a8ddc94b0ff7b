// SPDX-License-Identifier: Apache-2.0

package pytext

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxNesting is how deep lists and dicts of a literal may nest.
const MaxNesting = 64

var errNotPython = errors.New("not a Python literal")

// ParseLiteral reads what Python prints for lists, tuples, dicts with text
// keys, strings, numbers, True, False and None, as the values that decoding
// the same JSON would give. Clients log tool calls that way.
func ParseLiteral(text string) (any, error) {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	p := &pythonReader{text: text}
	value, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if p.space(); p.at < len(p.text) {
		return nil, errNotPython
	}
	return value, nil
}

type pythonReader struct {
	text string
	at   int
}

func (p *pythonReader) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n\f", p.text[p.at]) >= 0 {
		p.at++
	}
}

// peek returns the next byte that is no white space, 0 at the end.
func (p *pythonReader) peek() byte {
	if p.space(); p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *pythonReader) value(depth int) (any, error) {
	if depth > MaxNesting+1 {
		return nil, errNotPython
	}
	switch c := p.peek(); {
	case c == '[':
		return p.list(']', depth)
	case c == '(':
		return p.tuple(depth)
	case c == '{':
		return p.dict(depth)
	case c == '\'' || c == '"':
		return p.str()
	case c == '-' || c == '+' || c == '.' || c >= '0' && c <= '9':
		return p.number()
	default:
		return p.word()
	}
}

// list reads values up to end; the opening sign is next.
func (p *pythonReader) list(end byte, depth int) ([]any, error) {
	p.at++
	list := []any{}
	for p.peek() != end {
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
		if p.peek() != ',' {
			break
		}
		p.at++
	}
	if p.peek() != end {
		return nil, errNotPython
	}
	p.at++
	return list, nil
}

// tuple reads a tuple, or one value in parentheses.
func (p *pythonReader) tuple(depth int) (any, error) {
	list, err := p.list(')', depth)
	if err != nil {
		return nil, err
	}
	before := strings.TrimRight(p.text[:p.at-1], " \t\r\n\f")
	if len(list) == 1 && !strings.HasSuffix(before, ",") {
		return list[0], nil
	}
	return list, nil
}

func (p *pythonReader) dict(depth int) (map[string]any, error) {
	p.at++
	dict := map[string]any{}
	for p.peek() != '}' {
		if c := p.peek(); c != '\'' && c != '"' {
			return nil, errNotPython
		}
		key, err := p.str()
		if err != nil {
			return nil, err
		}
		if p.peek() != ':' {
			return nil, errNotPython
		}
		p.at++
		if dict[key], err = p.value(depth + 1); err != nil {
			return nil, err
		}
		if p.peek() != ',' {
			break
		}
		p.at++
	}
	if p.peek() != '}' {
		return nil, errNotPython
	}
	p.at++
	return dict, nil
}

func (p *pythonReader) word() (any, error) {
	for word, value := range map[string]any{"True": true, "False": false, "None": nil} {
		if strings.HasPrefix(p.text[p.at:], word) {
			p.at += len(word)
			return value, nil
		}
	}
	return nil, errNotPython
}

// number reads a decimal number and gives it in JSON's spelling.
func (p *pythonReader) number() (any, error) {
	start := p.at
	for p.at < len(p.text) && strings.IndexByte("+-.0123456789eE_", p.text[p.at]) >= 0 {
		p.at++
	}
	text := strings.TrimPrefix(p.text[start:p.at], "+")
	if whole, fraction, ok := strings.Cut(text, "."); ok {
		if whole == "" || whole == "-" {
			whole += "0"
		}
		if fraction == "" || fraction[0] == 'e' || fraction[0] == 'E' {
			fraction = "0" + fraction
		}
		text = whole + "." + fraction
	}
	text = strings.ReplaceAll(text, "_", "")
	if !json.Valid([]byte(text)) {
		return nil, errNotPython
	}
	return json.Number(text), nil
}

var pythonEscapes = map[byte]string{
	'\\': "\\", '\'': "'", '"': "\"", '\n': "",
	'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
}

// str reads a string; its quote is next.
func (p *pythonReader) str() (string, error) {
	quote := p.text[p.at]
	p.at++
	var b strings.Builder
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		switch c {
		case quote:
			return b.String(), nil
		case '\n':
			return "", errNotPython
		case '\\':
			if err := p.escape(&b); err != nil {
				return "", err
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", errNotPython
}

// escape reads what follows a backslash.
func (p *pythonReader) escape(b *strings.Builder) error {
	if p.at == len(p.text) {
		return errNotPython
	}
	c := p.text[p.at]
	p.at++
	if plain, ok := pythonEscapes[c]; ok {
		b.WriteString(plain)
		return nil
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	if digits == 0 {
		// Python keeps the backslash of an escape that it does not know.
		b.WriteByte('\\')
		p.at--
		return nil
	}
	if p.at+digits > len(p.text) {
		return errNotPython
	}
	code, err := strconv.ParseUint(p.text[p.at:p.at+digits], 16, 32)
	if err != nil || code > utf8.MaxRune {
		return errNotPython
	}
	p.at += digits
	b.WriteRune(rune(code))
	return nil
}
