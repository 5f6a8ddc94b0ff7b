// SPDX-License-Identifier: Apache-2.0

package valuetext

import (
	"strings"
)

// Mend closes a JSON array or object whose end was cut off: what was whole stays, and a
// string that was cut goes as far as it does. cut is false for text that is no such thing.
func Mend(text string) (mended string, cut bool) {
	text = withoutMark(text)
	if begin := strings.TrimLeft(text, " \t\r\n"); begin == "" || begin[0] != '[' && begin[0] != '{' {
		return "", false
	}
	m := mender{text: text}
	if !m.scan() || len(m.open) == 0 {
		return "", false
	}
	return m.closed(), true
}

// withoutMark returns a text without what we write where we cut a long one.
func withoutMark(text string) string {
	if strings.HasSuffix(text, " bytes]") {
		if i := strings.LastIndex(text, CutMark); i >= 0 {
			return text[:i]
		}
	}
	return text
}

// CutMark begins what is written at the end of a value that was too long.
const CutMark = "… [cut: "

// mender walks over JSON that may end anywhere.
type mender struct {
	text string
	open []byte // what closes the arrays and objects that are open, the outermost first
	good int    // how much of the text can stay
	name bool   // a member's name comes or came, and no colon behind it
	rest string // what completes the text that stays
}

// maxOpen is how deep a text may nest that is mended.
const maxOpen = 1000

// scan goes to the end of the text. It is false for what no JSON begins with.
func (m *mender) scan() bool {
	for i := 0; i < len(m.text); i++ {
		switch c := m.text[i]; c {
		case ' ', '\t', '\r', '\n':
		case '{', '[':
			if len(m.open) == maxOpen || m.name {
				return false
			}
			m.open = append(m.open, c+2) // the braces of ASCII
			m.name = c == '{'
			m.keep(i+1, "")
		case '}', ']':
			if len(m.open) == 0 || m.open[len(m.open)-1] != c {
				return false
			}
			m.open, m.name = m.open[:len(m.open)-1], false
			m.keep(i+1, "")
		case ',':
			if len(m.open) == 0 {
				return false
			}
			m.name = m.open[len(m.open)-1] == '}'
		case ':':
			m.name = false
		case '"':
			end, whole := stringEnd(m.text, i)
			switch {
			case !whole && m.name: // nothing is known of the member
				return true
			case !whole:
				m.keep(end, `"`)
				return true
			case m.name: // kept with its value
			default:
				m.keep(end, "")
			}
			i = end - 1
		default:
			end := i + 1
			for end < len(m.text) && strings.IndexByte(" \t\r\n,:]}[{\"", m.text[end]) < 0 {
				end++
			}
			if m.name {
				return false
			}
			if end < len(m.text) { // at the end it may be cut
				m.keep(end, "")
			}
			i = end - 1
		}
	}
	return true
}

func (m *mender) keep(end int, rest string) { m.good, m.rest = end, rest }

// closed returns what stays with all that is open closed.
func (m *mender) closed() string {
	var b strings.Builder
	b.WriteString(m.text[:m.good])
	b.WriteString(m.rest)
	for i := len(m.open) - 1; i >= 0; i-- {
		b.WriteByte(m.open[i])
	}
	return b.String()
}

// stringEnd returns where the string ends that begins at start, or how far it is whole
// where it does not end.
func stringEnd(text string, start int) (end int, whole bool) {
	for i := start + 1; i < len(text); {
		switch text[i] {
		case '"':
			return i + 1, true
		case '\\':
			size := len(`\n`)
			if i+1 < len(text) && text[i+1] == 'u' {
				size = len(`\u0000`)
			}
			if i+size > len(text) {
				return i, false
			}
			i += size
		default:
			i++
		}
	}
	return len(text), false
}
