// SPDX-License-Identifier: Apache-2.0

package pytext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsSpace reports whether r separates words. Beside what Unicode calls white
// space, the four information separators do, as they do where Python splits.
func IsSpace(r rune) bool {
	return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f
}

// separates is IsSpace for ASCII, where most text is.
var separates = func() (table [utf8.RuneSelf]bool) {
	for c := range table {
		table[c] = IsSpace(rune(c))
	}
	return table
}()

// CountWords counts the runs of text between white space. It allocates nothing.
func CountWords(text string) int {
	words, inWord := 0, false
	for i := 0; i < len(text); {
		space, size := false, 1
		if c := text[i]; c < utf8.RuneSelf {
			space = separates[c]
		} else {
			var r rune
			r, size = utf8.DecodeRuneInString(text[i:])
			space = IsSpace(r)
		}
		if !space && !inWord {
			words++
		}
		inWord = !space
		i += size
	}
	return words
}

// IsWordRune reports whether r is a part of a word: a letter, a digit, a mark
// or an underscore.
func IsWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// SplitWords returns the runs of text between white space.
func SplitWords(text string) []string { return strings.FieldsFunc(text, IsSpace) }
