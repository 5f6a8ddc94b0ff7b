// SPDX-License-Identifier: Apache-2.0

package textfold

import (
	"html"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// escape returns the character that an HTML entity, a JSON escape or URL
// encoding at byte i stands for, and how many bytes it has, 0 if there is none.
func (f *folder) escape(i int) (rune, int) {
	if i+1 >= len(f.builder.in) && f.builder.in[i] != '+' {
		return 0, 0
	}
	switch f.builder.in[i] {
	case '&':
		return entity(f.builder.in[i:min(len(f.builder.in), i+maxEntity)])
	case '\\':
		return backslash(f.builder.in[i:min(len(f.builder.in), i+maxBackslash)])
	case '%':
		return percent(f.builder.in[i:min(len(f.builder.in), i+maxPercent)])
	case '+':
		return ' ', lengthIf(f.isForm(i), 1)
	}
	return 0, 0
}

// How long the longest escapes are, in bytes.
const (
	maxEntity    = 24
	maxBackslash = 12
	maxPercent   = 12
)

// entityNames are the entities for ASCII, punctuation and Latin letters
// (https://html.spec.whatwg.org/multipage/named-characters.html).
const entityNames = "amp AMP lt LT gt GT quot QUOT apos nbsp commat period colon semi comma sol bsol num plus equals lowbar UnderBar " +
	"lpar rpar lsqb lbrack rsqb rbrack lcub lbrace rcub rbrace excl quest dollar percnt ast midast hat grave verbar vert Tab NewLine tilde " +
	"hyphen dash ndash mdash horbar minus shy ensp emsp thinsp hairsp numsp puncsp zwj zwnj lrm rlm ZeroWidthSpace NoBreak " +
	"lsquo rsquo sbquo ldquo rdquo bdquo laquo raquo hellip bull middot deg copy reg trade sect euro pound yen cent " +
	"Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml Oslash " +
	"Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth " +
	"ntilde ograve oacute ocirc otilde ouml oslash ugrave uacute ucirc uuml yacute thorn yuml OElig oelig Scaron scaron inodot imath iexcl iquest ordf ordm"

var entities = sync.OnceValue(func() map[string]rune {
	made := map[string]rune{}
	for name := range strings.FieldsSeq(entityNames) {
		r, _ := utf8.DecodeRuneInString(html.UnescapeString("&" + name + ";"))
		made[name] = r
	}
	return made
})

// entity reads an HTML entity, which ends with a semicolon.
func entity(text string) (rune, int) {
	end := 1
	for end < len(text) && text[end] != ';' {
		if c := text[end]; c != '#' && !isLetterOrDigit(c) {
			return 0, 0
		}
		end++
	}
	if end == len(text) || end < 3 {
		return 0, 0
	}
	name := text[1:end]
	if name[0] != '#' {
		return entities()[name], lengthIf(entities()[name] != 0, end+1)
	}
	digits, base := name[1:], rune(10)
	if digits[0] == 'x' || digits[0] == 'X' {
		digits, base = digits[1:], 16
	}
	return number(digits, base, end+1)
}

// backslash reads an escape of JSON, JavaScript or Python: \n, \", \/, \u0041,
// two of those for a character beyond, \u{1F600}, \x41.
func backslash(text string) (rune, int) {
	switch c := text[1]; c {
	case '"', '\'', '\\', '/':
		return rune(c), 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'x':
		if len(text) >= 4 {
			return number(text[2:4], 16, 4)
		}
	case 'U':
		if len(text) >= 10 {
			return number(text[2:10], 16, 10)
		}
	case 'u':
		return unicodeEscape(text)
	}
	return 0, 0
}

func unicodeEscape(text string) (rune, int) {
	if len(text) < 6 {
		return 0, 0
	}
	if text[2] == '{' {
		if end := strings.IndexByte(text, '}'); end > 0 {
			return number(text[3:end], 16, end+1)
		}
		return 0, 0
	}
	r, size := hexadecimal(text[2:6]), 6
	if utf16.IsSurrogate(r) {
		if len(text) < 12 || text[6] != '\\' || text[7] != 'u' {
			return 0, 0
		}
		r, size = utf16.DecodeRune(r, hexadecimal(text[8:12])), 12
		if r == utf8.RuneError {
			return 0, 0
		}
	}
	return r, lengthIf(r > 0, size)
}

// number reads a character by its number.
func number(digits string, base rune, size int) (rune, int) {
	n := rune(0)
	for i := range len(digits) {
		d := rune(hexDigit(digits[i]))
		if d < 0 || d >= base || n > utf8.MaxRune {
			return 0, 0
		}
		n = n*base + d
	}
	return n, lengthIf(n > 0 && utf8.ValidRune(n), size)
}

func lengthIf(ok bool, size int) int {
	if ok {
		return size
	}
	return 0
}

// hexadecimal reads digits, -1 if they are none.
func hexadecimal(digits string) rune {
	r := rune(0)
	for i := range len(digits) {
		d := hexDigit(digits[i])
		if d < 0 {
			return -1
		}
		r = r<<4 | rune(d)
	}
	return r
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

func isLetterOrDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
