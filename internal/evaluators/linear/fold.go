// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The classes of bytes.
const (
	space   = iota // separates words and says nothing
	letter         // ASCII letters
	digit          // ASCII digits
	mark           // ASCII punctuation that is a token
	foreign        // part of a rune beyond ASCII
)

var class = func() (c [256]uint8) {
	for b := range c {
		switch {
		case b >= utf8.RuneSelf:
			c[b] = foreign
		case b|0x20 >= 'a' && b|0x20 <= 'z' && b >= 'A':
			c[b] = letter
		case b >= '0' && b <= '9':
			c[b] = digit
		}
	}
	for _, b := range []byte("!?.:;#<>[]{}|`*~^=+%&$@\\") {
		c[b] = mark
	}
	return c
}()

// The kinds of runes beyond ASCII.
const (
	apart    = iota // separates words and says nothing
	unseen          // is not seen: it may stand anywhere in a word
	inWord          // is part of words
	pictured        // a symbol, which is a token
)

// kindOf tells the kind of a rune beyond ASCII. Accents that follow their
// letter are not seen either, so that they fold away as those that come with
// it do.
func kindOf(r rune) uint8 {
	switch {
	case r < endOfLow:
		return low[r-utf8.RuneSelf].kind
	case r >= 0x3400 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3: // Han, Hangul
		return inWord
	default:
		return lookUpKind(r)
	}
}

func lookUpKind(r rune) uint8 {
	switch {
	case hiddenLetter(r) || r >= 0x1F130 && r <= 0x1F189 || r >= 0x24B6 && r <= 0x24E9:
		return inWord
	case r >= 0xE0020 && r <= 0xE007E: // spaces and marks that mirror ASCII
		return apart
	case r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0: // letters without ink
		return unseen
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		return inWord
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return unseen
	case r == utf8.RuneError || unicode.In(r, unicode.P, unicode.Z, unicode.C):
		return apart
	default:
		return pictured
	}
}

// lowRune is a rune of the scripts that are met most, looked up once.
type lowRune struct {
	kind   uint8
	folded [3]rune // 0 where there is no more
}

// endOfLow is where the runes end that are looked up once: after Latin, Greek,
// Cyrillic, Hebrew and half of Arabic.
const endOfLow = 0x600

var low = func() (table [endOfLow - utf8.RuneSelf]lowRune) {
	for i := range table {
		r := rune(i + utf8.RuneSelf)
		table[i] = lowRune{kind: lookUpKind(r), folded: lookUpFold(r)}
	}
	return table
}()

// hiddenLetter reports whether r is a letter or digit in the block of tags,
// which no font shows and language models read.
func hiddenLetter(r rune) bool {
	return r >= 0xE0030 && r <= 0xE0039 || r >= 0xE0041 && r <= 0xE005A || r >= 0xE0061 && r <= 0xE007A
}

// putRune appends what a rune beyond ASCII folds to.
func (t *Tokens) putRune(r rune) {
	switch {
	case r < endOfLow:
		for _, f := range low[r-utf8.RuneSelf].folded {
			if f == 0 {
				return
			}
			t.putFolded(f)
		}
	case r >= 0x3400 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3: // Han, Hangul
		t.repeated = 0
		t.word = utf8.AppendRune(t.word, r)
	default:
		for _, f := range lookUpFold(r) {
			if f == 0 {
				return
			}
			t.putFolded(f)
		}
	}
}

// lookUpFold returns the letters that a rune stands for, in lower case. A rune
// may stand for a long phrase; of that it gives the beginning.
func lookUpFold(r rune) (folded [3]rune) {
	if hiddenLetter(r) {
		return [3]rune{unicode.ToLower(r - 0xE0000)}
	}
	if r >= 0x1F130 && r <= 0x1F189 && (r-0x1F130)%0x20 < 26 { // letters in squares
		return [3]rune{'a' + (r-0x1F130)%0x20}
	}
	if base, ok := plain[unicode.ToLower(r)]; ok {
		for i, b := range base {
			folded[i] = b
		}
		return folded
	}
	var raw [utf8.UTFMax]byte
	parts := norm.NFKD.Properties(raw[:utf8.EncodeRune(raw[:], r)]).Decomposition()
	if len(parts) == 0 {
		return [3]rune{unicode.ToLower(r)}
	}
	for n := 0; len(parts) > 0 && n < len(folded); {
		part, size := utf8.DecodeRune(parts)
		parts = parts[size:]
		if !unicode.In(part, unicode.Mn, unicode.Me) {
			folded[n] = unicode.ToLower(part)
			n++
		}
	}
	return folded
}

// putFolded appends a rune that is in lower case.
func (t *Tokens) putFolded(r rune) {
	switch {
	case r < utf8.RuneSelf:
		if class[byte(r)] == letter {
			t.latin = true
		} else if class[byte(r)] == digit {
			t.digits = true
		}
		t.put(byte(r))
	case unicode.IsDigit(r):
		t.put('0')
	default:
		if _, ok := lookalikes[r]; ok {
			t.lookalike = true
		}
		t.repeated = 0
		t.word = utf8.AppendRune(t.word, r)
	}
}

// unmask turns the look-alikes in a word that has Latin letters too into the
// letters they look like.
func (t *Tokens) unmask() {
	out := t.word[:0]
	for i := 0; i < len(t.word); {
		r, size := utf8.DecodeRune(t.word[i:])
		if l, ok := lookalikes[r]; ok {
			out = append(out, l)
		} else {
			out = append(out, t.word[i:i+size]...)
		}
		i += size
	}
	t.word = out
}

// plain are lower-case letters of the Latin script that do not decompose.
var plain = map[rune]string{
	'ı': "i", 'ł': "l", 'ø': "o", 'đ': "d", 'ß': "ss", 'æ': "ae", 'œ': "oe",
	'þ': "th", 'ð': "d", 'ħ': "h", 'ɑ': "a", 'ɡ': "g", 'ɩ': "i", 'ɪ': "i", 'ʏ': "y", 'ᴀ': "a", 'ʙ': "b", 'ᴄ': "c", 'ᴅ': "d",
	'ᴇ': "e", 'ꜰ': "f", 'ɢ': "g", 'ʜ': "h", 'ᴊ': "j", 'ᴋ': "k", 'ʟ': "l", 'ᴍ': "m", 'ɴ': "n", 'ᴏ': "o", 'ᴘ': "p", 'ʀ': "r",
	'ꜱ': "s", 'ᴛ': "t", 'ᴜ': "u", 'ᴠ': "v", 'ᴡ': "w", 'ᴢ': "z",
}

// lookalikes are the lower-case letters of other scripts that look like a
// Latin one.
var lookalikes = map[rune]byte{
	'а': 'a', 'в': 'b', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'ё': 'e', 'һ': 'h', 'н': 'h', 'і': 'i', 'ї': 'i', 'ј': 'j', 'к': 'k',
	'ӏ': 'l', 'м': 'm', 'о': 'o', 'р': 'p', 'ԛ': 'q', 'г': 'r', 'ѕ': 's', 'т': 't', 'ц': 'u', 'ѵ': 'v', 'ԝ': 'w', 'ѡ': 'w',
	'х': 'x', 'у': 'y', 'α': 'a', 'β': 'b', 'ϲ': 'c', 'ε': 'e', 'η': 'n', 'ι': 'i', 'κ': 'k', 'ν': 'v', 'ο': 'o', 'ρ': 'p',
	'σ': 'o', 'τ': 't', 'υ': 'u', 'χ': 'x', 'ω': 'w', 'ϳ': 'j', 'γ': 'y', 'օ': 'o', 'ս': 'u', 'հ': 'h', 'ո': 'n', 'ց': 'g',
}
