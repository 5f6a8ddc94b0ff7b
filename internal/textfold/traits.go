// SPDX-License-Identifier: Apache-2.0

package textfold

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// trait are claims about a character.
type trait byte

const (
	keptTrait    trait = 1 << iota // it always stays what it is
	wordTrait                      // it may stand inside a word, seen or not
	latinTrait                     // it is a Latin letter
	foreignTrait                   // it is a letter, neither Latin nor taken for such a one
	sameTrait                      // no one can tell it from a Latin letter, which it is not
)

// allTraits are the traits of the characters of the first plane, where nearly
// all are.
var allTraits = sync.OnceValue(func() *[1 << 16]trait {
	var table [1 << 16]trait
	for r := range rune(1 << 16) {
		table[r] = work(r)
	}
	return &table
})

func traitOf(r rune) trait {
	if r < 1<<16 {
		return allTraits()[r]
	}
	return work(r)
}

func work(r rune) trait {
	var t trait
	if r < utf8.RuneSelf {
		t |= keptTrait
	} else if _, kind := classify(r); kind == kept {
		t |= keptTrait
	}
	latin := isLatinLetter(r)
	letter := latin || unicode.IsLetter(r)
	if latin {
		t |= latinTrait
	}
	if letter && !latin && r >= 0x250 && (r < 0x370 || r >= 0x590 || lookalikes[r-0x370] == 0) {
		t |= foreignTrait
	}
	if strings.ContainsRune(sameAsLatin, r) {
		t |= sameTrait
	}
	if letter || r == '_' || unicode.IsMark(r) || unicode.IsDigit(r) || unicode.Is(unicode.Cf, r) {
		t |= wordTrait
	}
	return t
}

// isLatinLetter reports whether r is a Latin letter, be it full-width or styled.
func isLatinLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	return isLatin(r) || r >= 0xFF21 && r <= 0xFF5A || r >= 0x1D400 && r < 0x1D7CC
}
