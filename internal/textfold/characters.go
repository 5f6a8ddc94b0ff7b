// SPDX-License-Identifier: Apache-2.0

package textfold

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// kind says what becomes of a character.
type kind int

const (
	kept kind = iota
	dropped
	joiner // dropped behind Latin letters, digits and signs
	mark   // joins the letter before it, or is dropped behind a Latin one
	lookalike
	replaced
)

// classify returns what becomes of a character beyond ASCII, and the text that
// a look-alike or a replaced one stands for.
func classify(r rune) (string, kind) {
	switch {
	case r < 0xA0:
		if r == 0x85 { // the next line of ISO 6429
			return "\n", replaced
		}
		return "", kept
	case r < 0x370:
		return classifyLatin(r)
	case r < 0x590:
		if latin := lookalikes[r-0x370]; latin != 0 {
			return ascii[latin : latin+1], lookalike
		}
	case r >= 0x1D00 && r < 0x1D26, r >= 0xA730 && r < 0xA732, r == 0xA7AF:
		if text, ok := smallCapitals[r]; ok {
			return text, replaced
		}
	case r >= 0xFF01 && r < 0xFF5F: // full-width
		return ascii[r-0xFEE0 : r-0xFEE0+1], replaced
	case r >= 0x1D400 && r < 0x1D800:
		text := styled()[r-0x1D400]
		if text == "" {
			return "", kept
		}
		return text, replaced
	case r >= 0x2000 && r < 0x2070:
		return classifyPunctuation(r)
	case r >= 0x3400 && r < 0xA000, r >= 0xAC00 && r < 0xF900, r >= 0x1F200 && r < 0xE0000: // ideographs, Hangul, private use, pictures
		return "", kept
	case r >= 0xE0000 && r < 0xE0080: // tags, which repeat ASCII and are not shown
		if r >= 0xE0020 && r < 0xE007F {
			return ascii[r-0xE0000 : r-0xE0000+1], replaced
		}
		return "", dropped
	case r >= 0xFE00 && r < 0xFE10, r >= 0xE0100 && r < 0xE01F0: // variation selectors
		return "", joiner
	case r >= 0x1F150 && r < 0x1F16A: // circled, white on black
		return ascii['A'+r-0x1F150 : 'A'+r-0x1F150+1], replaced
	case r >= 0x1F170 && r < 0x1F18A: // squared, white on black
		return ascii['A'+r-0x1F170 : 'A'+r-0x1F170+1], replaced
	}
	if text, ok := others[r]; ok {
		return text.text, text.kind
	}
	if r >= 0x660 && r < 0x1050 {
		for _, zero := range zeros {
			if r >= zero && r < zero+10 {
				return ascii['0'+r-zero : '0'+r-zero+1], replaced
			}
		}
	}
	return compatible(r)
}

// classifyLatin does so for Latin letters and the marks that join them.
func classifyLatin(r rune) (string, kind) {
	switch {
	case r >= 0x300:
		if r == 0x34F { // the combining grapheme joiner
			return "", dropped
		}
		return "", mark
	case r == 0xA0:
		return " ", replaced
	case r == 0xAD: // the soft hyphen
		return "", dropped
	case r == 0xB4, r == 0x2B9, r == 0x2BB, r == 0x2BC, r == 0x2C8:
		return "'", replaced
	case r == 0x17F:
		return "s", replaced
	case r >= 0x250:
		if text, ok := smallCapitals[r]; ok {
			return text, replaced
		}
	}
	return "", kept
}

// classifyPunctuation does so for the block of general punctuation.
func classifyPunctuation(r rune) (string, kind) {
	switch {
	case r <= 0x200A, r == 0x202F, r == 0x205F:
		return " ", replaced
	case r == 0x200C, r == 0x200D:
		return "", joiner
	case r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060:
		return "", dropped
	case r <= 0x2015, r == 0x2043:
		return "-", replaced
	case r >= 0x2018 && r <= 0x201B, r == 0x2032, r == 0x2035:
		return "'", replaced
	case r >= 0x201C && r <= 0x201F, r == 0x2033, r == 0x2036:
		return `"`, replaced
	case r == 0x2024:
		return ".", replaced
	case r == 0x2026:
		return "...", replaced
	case r == 0x2028, r == 0x2029:
		return "\n", replaced
	case r == 0x2044:
		return "/", replaced
	}
	return "", kept
}

// others are single characters that no rule of Unicode folds as readers do.
var others = map[rune]struct {
	text string
	kind kind
}{
	0x61C: {"", dropped}, 0x115F: {"", dropped}, 0x1160: {"", dropped}, 0x17B4: {"", dropped}, 0x17B5: {"", dropped},
	0x180B: {"", dropped}, 0x180C: {"", dropped}, 0x180D: {"", dropped}, 0x180E: {"", dropped}, 0x180F: {"", dropped},
	0x3164: {"", dropped}, 0xFEFF: {"", dropped}, 0xFFA0: {"", dropped}, 0x20E3: {"", joiner},
	0x1680: {" ", replaced}, 0x3000: {" ", replaced},
	0x58A: {"-", replaced}, 0x5BE: {"-", replaced}, 0x1806: {"-", replaced}, 0x2212: {"-", replaced}, 0x2E3A: {"-", replaced},
	0x2E3B: {"-", replaced}, 0xFE58: {"-", replaced}, 0xFE63: {"-", replaced}, 0x2796: {"-", replaced},
	0x2215: {"/", replaced}, 0x2236: {":", replaced}, 0xA789: {":", replaced}, 0x301D: {`"`, replaced}, 0x301E: {`"`, replaced},
	// Signs that would become a part of the word before them.
	0x2120: {"", kept}, 0x2122: {"", kept},
}

// zeros are the digits zero of Arabic and of the scripts of South Asia; those up
// to nine follow.
var zeros = []rune{0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50, 0xED0, 0xF20, 0x1040}

// styled are what the mathematical letters and digits from U+1D400 on stand for.
var styled = sync.OnceValue(func() *[0x400]string {
	var table [0x400]string
	for i := range table {
		table[i], _ = compatible(0x1D400 + rune(i))
	}
	return &table
})

// compatible returns what a character is a form of: full-width, styled,
// circled, a ligature (https://unicode.org/reports/tr15/). Letters with marks,
// superscripts and subscripts stay.
func compatible(r rune) (string, kind) {
	var buffer [utf8.UTFMax]byte
	text := buffer[:utf8.EncodeRune(buffer[:], r)]
	whole := norm.NFKC.Properties(text).Decomposition()
	if whole == nil {
		if r >= 0x1AB0 && unicode.Is(latinMarks, r) {
			return "", mark
		}
		return "", kept
	}
	if r >= 0x2070 && r < 0x20A0 {
		return "", kept
	}
	if canonical := norm.NFC.Properties(text).Decomposition(); canonical != nil && utf8.RuneCount(canonical) > 1 {
		return "", kept
	}
	return string(whole), replaced
}

// latinMarks are the blocks of combining marks that belong to no script.
var latinMarks = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x1AB0, Hi: 0x1AFF, Stride: 1}, {Lo: 0x1DC0, Hi: 0x1DFF, Stride: 1}, {Lo: 0x20D0, Hi: 0x20FF, Stride: 1}, {Lo: 0xFE20, Hi: 0xFE2F, Stride: 1},
}}
