// SPDX-License-Identifier: Apache-2.0

package textfold

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// mark folds a combining mark and returns whether it did: it becomes one
// character with the letter before it if there is such a one, and is dropped
// behind another Latin letter, a digit or a sign.
func (f *folder) mark(r rune, i, size int) bool {
	before, length := f.last(i)
	if composed, ok := compositions()[[2]rune{before, r}]; ok {
		f.builder.copy(f.builder.done, i)
		f.builder.rewrite(length, i+size, composed)
		return true
	}
	if f.afterLatin(i) {
		f.builder.replace(i, i+size, "")
		return true
	}
	return false
}

// afterLatin reports whether what is before byte i, if anything, is of ASCII
// or a Latin letter.
func (f *folder) afterLatin(i int) bool {
	r, size := f.last(i)
	return size == 0 || r < utf8.RuneSelf || isLatin(r)
}

// isLatin reports whether a letter beyond ASCII is a Latin one.
func isLatin(r rune) bool {
	return r >= 0xC0 && r < 0x250 && r != 0xD7 && r != 0xF7 || r >= 0x1E00 && r < 0x1F00 || r >= 0x250 && unicode.Is(unicode.Latin, r)
}

// compositions are the characters that a Latin, Greek or Cyrillic letter and a
// mark are together.
var compositions = sync.OnceValue(func() map[[2]rune]rune {
	made := map[[2]rune]rune{}
	for _, block := range [][2]rune{{0xC0, 0x24F}, {0x370, 0x52F}, {0x1E00, 0x1FFF}} {
		for r := block[0]; r <= block[1]; r++ {
			parts := []rune(norm.NFD.String(string(r)))
			if len(parts) < 2 {
				continue
			}
			last := parts[len(parts)-1]
			base := []rune(norm.NFC.String(string(parts[:len(parts)-1])))
			if len(base) == 1 {
				made[[2]rune{base[0], last}] = r
			}
		}
	}
	return made
})
