// SPDX-License-Identifier: Apache-2.0

package pytext

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/runenames"
)

// What Python writes and the engine does not read.
var (
	errNoSuchName   = errors.New("unknown character name")
	errBadEscape    = errors.New("incomplete escape")
	errUnknownFlags = errors.New("the flags a and L are not supported")
)

// translatePython rewrites a regular expression of Python's re for the engine,
// which reads the expressions of .NET. The two agree but for some spellings.
func translatePython(expression string) (string, error) {
	t := &regexTranslator{rest: expression}
	for t.rest != "" {
		if err := t.next(); err != nil {
			return "", err
		}
	}
	return t.out.String(), nil
}

type regexTranslator struct {
	rest    string
	out     strings.Builder
	inClass bool
}

// pass writes text, which stands for the first n bytes of the rest.
func (t *regexTranslator) pass(n int, text string) {
	t.out.WriteString(text)
	t.rest = t.rest[n:]
}

func (t *regexTranslator) next() error {
	switch c := t.rest[0]; {
	case c == '\\':
		return t.escape()
	case t.inClass && c == '[':
		// .NET would begin a class to subtract.
		t.pass(1, `\[`)
	case t.inClass && c == ']':
		t.inClass = false
		t.pass(1, "]")
	case t.inClass:
		t.pass(1, t.rest[:1])
	case c == '[':
		t.class()
	case c == '(':
		return t.group()
	case c == '{':
		t.repeat()
	default:
		t.pass(1, t.rest[:1])
	}
	return nil
}

// class opens a class; a bracket that closes it at once is one of its characters.
func (t *regexTranslator) class() {
	t.inClass = true
	t.pass(1, "[")
	if strings.HasPrefix(t.rest, "^") {
		t.pass(1, "^")
	}
	if strings.HasPrefix(t.rest, "]") {
		t.pass(1, `\]`)
	}
}

func (t *regexTranslator) group() error {
	switch {
	case strings.HasPrefix(t.rest, "(?P<"):
		t.pass(4, "(?<")
	case strings.HasPrefix(t.rest, "(?P="):
		if end := strings.IndexByte(t.rest, ')'); end > 0 {
			t.pass(end+1, `\k<`+t.rest[4:end]+`>`)
			return nil
		}
		t.pass(1, "(")
	case strings.HasPrefix(t.rest, "(?"):
		return t.flags()
	default:
		t.pass(1, "(")
	}
	return nil
}

// flags drops the flag u of a group such as (?iu), which is on anyway.
func (t *regexTranslator) flags() error {
	end := 2
	for end < len(t.rest) && strings.IndexByte("aiLmsux-", t.rest[end]) >= 0 {
		end++
	}
	if end == 2 || end == len(t.rest) || t.rest[end] != ')' && t.rest[end] != ':' {
		t.pass(2, "(?")
		return nil
	}
	flags := t.rest[2:end]
	if strings.ContainsAny(flags, "aL") {
		return errUnknownFlags
	}
	flags = strings.ReplaceAll(flags, "u", "")
	if flags == "" && t.rest[end] == ')' {
		t.pass(end+1, "")
		return nil
	}
	t.pass(end, "(?"+flags)
	return nil
}

// repeat writes the lower bound that Python allows to leave out.
func (t *regexTranslator) repeat() {
	end := 1
	for end < len(t.rest) && (t.rest[end] == ',' && end == 1 || end > 1 && t.rest[end] >= '0' && t.rest[end] <= '9') {
		end++
	}
	if end > 1 && end < len(t.rest) && t.rest[end] == '}' {
		t.pass(1, "{0")
		return
	}
	t.pass(1, "{")
}

func (t *regexTranslator) escape() error {
	if len(t.rest) == 1 {
		t.pass(1, `\`)
		return nil
	}
	switch t.rest[1] {
	case 'Z':
		// .NET's own \Z takes a newline before the end for the end.
		t.pass(2, `\z`)
	case 's', 'S', 'w', 'W':
		t.kind(t.rest[1])
	case '_':
		t.pass(2, "_")
	case 'U':
		if len(t.rest) < 10 {
			return errBadEscape
		}
		code, err := strconv.ParseUint(t.rest[2:10], 16, 32)
		if err != nil || code > utf8.MaxRune {
			return errBadEscape
		}
		t.literal(10, rune(code))
	case 'N':
		end := strings.IndexByte(t.rest, '}')
		if !strings.HasPrefix(t.rest, `\N{`) || end < 0 {
			return errBadEscape
		}
		r, ok := runeNamed(t.rest[3:end])
		if !ok {
			return errNoSuchName
		}
		t.literal(end+1, r)
	default:
		r, size := utf8.DecodeRuneInString(t.rest[1:])
		if r >= utf8.RuneSelf { // stands for itself, and is no escape of the engine
			t.pass(1+size, t.rest[1:1+size])
			return nil
		}
		t.pass(1+size, t.rest[:1+size])
	}
	return nil
}

// kinds are what Python counts to white space and to words, as the inside of a
// class: str.isspace and str.isalnum with the underscore. The engine's own count
// combining marks to words, and U+001C to U+001F not to white space. What is not
// of a kind is spelt out, since a class cannot hold the opposite of another.
var kinds = map[byte]string{
	's': `\s\x1c-\x1f`,
	'S': `\x00-\x08\x0e-\x1b\x21-\x84\x86-\x9f\xa1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff\u3001-` + "\U0010ffff",
	'w': `\p{L}\p{N}_`,
	'W': `\p{M}\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}\p{S}\p{Z}\p{C}\u203f\u2040\u2054\ufe33\ufe34\ufe4d-\ufe4f\uff3f`,
}

// kind writes the characters of a kind, in a class or out of it.
func (t *regexTranslator) kind(k byte) {
	inside := kinds[k]
	switch {
	case t.inClass:
	case k == 'S' || k == 'W':
		inside = "[^" + kinds[k|0x20] + "]"
	default:
		inside = "[" + inside + "]"
	}
	t.pass(2, inside)
}

// literal writes a character that stands for itself, in a class or out of it.
func (t *regexTranslator) literal(n int, r rune) {
	text := string(r)
	if r < utf8.RuneSelf {
		text = `\x` + strconv.FormatInt(int64(r)+0x100, 16)[1:]
	}
	t.pass(n, text)
}

// runeNamed finds a character by its Unicode name. It goes through all of
// them, for the few expressions that need it.
func runeNamed(name string) (rune, bool) {
	name = strings.ToUpper(name)
	if name == "" || name[0] == '<' {
		return 0, false
	}
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if runenames.Name(r) == name {
			return r, true
		}
	}
	return 0, false
}
