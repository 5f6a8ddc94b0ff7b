// SPDX-License-Identifier: Apache-2.0

package span

import "unicode/utf8"

// MarshalJSON returns the span as the API shows it.
func (s Span) MarshalJSON() ([]byte, error) { return s.AppendJSON(nil), nil }

// AppendJSON appends the span as the API shows it: every field, always.
func (s *Span) AppendJSON(b []byte) []byte {
	before := byte('{')
	for i := range Fields {
		f := &Fields[i]
		if f.Promoted {
			continue
		}
		b = append(append(append(b, before, '"'), f.ID...), `":`...)
		b = f.appendJSON(b, s)
		before = ','
	}
	return append(b, '}')
}

func appendMember(b []byte, name, value string) []byte {
	return AppendQuoted(append(b, name...), value)
}

func appendList(b []byte, list Attributes) []byte {
	b = append(b, '{')
	for i, a := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(AppendQuoted(b, a.Key), ':')
		b = AppendQuoted(b, a.Value)
	}
	return append(b, '}')
}

// AppendQuoted appends text as a JSON string. What is not UTF-8 becomes
// U+FFFD, byte by byte, as encoding/json does it. The standard encoder would
// allocate for each of the hundred texts of a span.
func AppendQuoted(b []byte, text string) []byte {
	b = append(b, '"')
	done := 0
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				i++
				continue
			}
			b = appendEscaped(append(b, text[done:i]...), c)
			i++
			done = i
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			b = append(append(b, text[done:i]...), "\uFFFD"...)
			done = i + size
		}
		i += size
	}
	return append(append(b, text[done:]...), '"')
}

func appendEscaped(b []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	return append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
}
