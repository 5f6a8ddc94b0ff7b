// SPDX-License-Identifier: Apache-2.0

package pytext

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsSpace reports whether r separates words. Besides what Unicode calls white
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
	words, before := 0, uint64(ofFirst) // ofFirst where what comes before separates
	for i := 0; i < len(text); {
		for ; i+8 <= len(text); i += 8 {
			eight := binary.LittleEndian.Uint64([]byte(text[i : i+8]))
			if eight&ofEach != 0 {
				break // not ASCII
			}
			spaces := spacesIn(eight)
			words += bits.OnesCount64(^spaces & (spaces<<8 | before) & ofEach)
			before = spaces >> 56
		}
		inWord := before == 0
		for end := min(i+32, len(text)); i < end; {
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
		before = ofFirst
		if inWord {
			before = 0
		}
	}
	return words
}

// The highest bit of each of eight bytes, and of the first.
const (
	ofEach  = 0x8080808080808080
	ofFirst = 0x80
)

// spacesIn sets the highest bit of each of eight bytes of ASCII that separates words, from
// tab to carriage return and from 0x1c to the space. Nothing is carried from a byte to the next.
func spacesIn(eight uint64) uint64 {
	const each = ofEach / 0x80
	from := func(c uint64) uint64 { return eight + (0x80-c)*each } // highest bits where a byte is c or more
	return (from(0x09)&^from(0x0e) | from(0x1c)&^from(0x21)) & ofEach
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
