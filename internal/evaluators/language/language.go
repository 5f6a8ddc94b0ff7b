// SPDX-License-Identifier: Apache-2.0

// Package language tells in which language a text is written. It is made to
// keep what knows one language from judging another, so it says nothing rather
// than something wrong: of English it nearly never says that it is not.
package language

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/abadojack/whatlanggo"
)

// ISO 639-1 codes of languages that evaluators know.
const (
	English = "en"
	German  = "de"
)

const (
	// LeastLetters is how many letters a text must have before its language is
	// recognized.
	LeastLetters = 20
	// leastOther is how many letters, a word of them, are enough where none is Latin.
	leastOther = 4
	// window is how many bytes of a long text are read at its beginning, in its
	// middle and at its end.
	window = 100
	// surelyLetters is the length from which a guess by letters alone counts
	// where no letter is outside ASCII.
	surelyLetters = 60
)

// Of returns the ISO 639-1 code of a text's language, or "" where it does not
// recognize it: for a text under LeastLetters, or under leastOther without a Latin letter,
// for a list of names, for program code. For a text in several languages it gives that
// of most of it.
func Of(text string) string {
	text = sample(text)
	letters, latin, beyond := count(text)
	switch {
	case letters < LeastLetters && (latin > 0 || letters < leastOther || !hasWord(text)):
		return ""
	case latin*2 < letters: // not English, whichever it is
		code, _ := byLetters(text)
		return code
	}
	code, foreign := byWords(text)
	if code != "" || !foreign || beyond == 0 && latin < surelyLetters {
		return code
	}
	if code, reliable := byLetters(text); reliable && code != English {
		return code
	}
	return ownLetters[ownLetter(text)]
}

// ownLetters are letters that one of the languages alone has, of those that are
// recognized at all.
var ownLetters = map[rune]string{
	'ı': "tr", 'ğ': "tr", 'ş': "tr", 'ł': "pl", 'ą': "pl", 'ę': "pl", 'ś': "pl", 'ź': "pl", 'ż': "pl", 'ń': "pl",
	'ř': "cs", 'ě': "cs", 'ů': "cs", 'ő': "hu", 'ű': "hu", 'ã': "pt", 'õ': "pt", 'ñ': "es", 'ß': "de", 'ț': "ro", 'ș': "ro",
}

// ownLetter returns the first such letter in a word that begins in lower case, 0
// if there is none: names have letters of any language.
func ownLetter(text string) rune {
	name, within := false, false
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r):
			within = false
			continue
		case !within:
			name, within = unicode.IsUpper(r), true
		}
		if !name && ownLetters[r] != "" {
			return r
		}
	}
	return 0
}

// count returns the letters of a text, how many of them are Latin, and how many
// of these are not ASCII.
func count(text string) (letters, latin, beyond int) {
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf:
			if 'a' <= r|0x20 && r|0x20 <= 'z' {
				letters++
				latin++
			}
		case unicode.IsLetter(r) || unicode.Is(unicode.Mark, r):
			letters++
			if unicode.Is(unicode.Latin, r) {
				latin++
				beyond++
			}
		}
	}
	return letters, latin, beyond
}

// hasWord reports whether a text has three letters in a row: signs of formulas stand
// alone.
func hasWord(text string) bool {
	run := 0
	for _, r := range text {
		if run++; !unicode.IsLetter(r) && !unicode.Is(unicode.Mark, r) {
			run = 0
		}
		if run >= 3 {
			return true
		}
	}
	return false
}

// sample returns the parts of a long text that are read.
func sample(text string) string {
	if len(text) <= 4*window {
		return text
	}
	middle := len(text)/2 - window/2
	return valid(text[:window]) + " " + valid(text[middle:middle+window]) + " " + valid(text[len(text)-window:])
}

// valid takes off broken characters at the ends of a cut.
func valid(part string) string { return strings.ToValidUTF8(part, "") }

// byLetters guesses by the script and by groups of three letters.
func byLetters(text string) (code string, reliable bool) {
	guess := whatlanggo.Detect(text)
	code, reliable = guess.Lang.Iso6391(), guess.IsReliable()
	switch {
	case guess.Script == unicode.Cyrillic && !strings.ContainsAny(strings.ToLower(text), notRussian):
		code = "ru"
	case guess.Script == unicode.Devanagari && code == "bh":
		code = "hi"
	case guess.Lang == whatlanggo.Pes: // for which the package has no code
		code = "ar"
		if strings.ContainsAny(text, notArabic) {
			code = "fa"
		}
	case code == "":
		code = byScript(text)
	}
	return code, reliable
}

// notArabic are letters that Persian has, and that texts of some length hardly do
// without.
const notArabic = "پچژگکی"

// byScript returns the language of a script that one language has, of those that are
// not guessed by letters.
func byScript(text string) string {
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Armenian, r):
			return "hy"
		case unicode.Is(unicode.Lao, r):
			return "lo"
		case unicode.Is(unicode.Tibetan, r):
			return "bo"
		}
	}
	return ""
}

// notRussian are letters that the neighbours of Russian have, and that texts of
// some length hardly do without.
const notRussian = "іїєґўјљњћђџѓќѕ"
