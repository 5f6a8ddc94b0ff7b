// SPDX-License-Identifier: Apache-2.0

// Package feelings finds the feelings that a text denies, which what weighs its words takes
// for those that it states, and those that it shows by signs, which have no words.
package feelings

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// kind is what a word does to a denial.
type kind uint8

const (
	other     kind = iota
	bad            // a feeling that is bad, or surprise
	good           // a feeling that is good: denied, it is a bad one
	negator        // not, never
	between        // may stand between a denial and what is denied
	degree         // is between as well, but for "never been so"
	condition      // if
	joint          // or
)

// words has the words for feelings and the few that denials are made of.
var words = sync.OnceValue(func() map[string]kind {
	kinds := map[string]kind{}
	for k, text := range map[kind]string{
		bad: "afraid aggravated alarmed alone angry annoyed anxious appalled apprehensive ashamed astonished astounded baffled bitter bothered concerned confused crying " +
			"depressed desperate devastated disappointed discouraged disgusted distressed dumbfounded embarrassed enraged exasperated fearful frightened frustrated fuming " +
			"furious gloomy guilty heartbroken homesick hopeless horrified hurt indignant infuriated insulted irate irritated jealous livid lonely mad miserable nervous " +
			"offended outraged panicked panicking perplexed petrified pissed puzzled repulsed resentful revolted sad scared shaken shocked sickened sorry speechless " +
			"startled stressed stunned surprised tense terrified troubled uncomfortable uneasy unhappy unsettled upset vexed worried",
		good:      "amused content delighted glad happy impressed joyful pleased satisfied thrilled",
		negator:   "not never neither no nothing nobody none cannot dont didnt doesnt isnt arent wasnt werent aint",
		between:   "anymore really very particularly especially even feel feels feeling felt the least slightest bit a at all in longer be been being is are am was were get got getting remotely overly terribly entirely totally completely exactly quite too that makes made me us i we he she they you it i'm one",
		degree:    "so this as such",
		condition: "if unless whether case",
		joint:     "or nor",
	} {
		for word := range strings.FieldsSeq(text) {
			kinds[word] = k
		}
	}
	return kinds
})

const (
	// farthest is how many words may stand between a denial and what is denied.
	farthest = 5
	// reach is how many words a condition reaches over.
	reach = 6
	// letDown is what a person says who denies a good feeling.
	letDown = " disappointed"
	// stops end a denial.
	stops = ".,;:!?\n"
	// longest is more letters than any of the words has.
	longest = 24
)

// Stated returns a text without the feelings that it denies: "I am" of "I am not angry". A
// good feeling that is denied is replaced by a bad one, but for one under a condition, of
// of which the text does not say that it is so.
func Stated(text string) string {
	var kept strings.Builder
	done := 0    // how much of the text is kept or left out
	denied := -1 // from where on what is denied is left out, -1 where nothing is
	left := 0    // how many words the denial still reaches over
	doubted := 0 // how many words a condition still reaches over
	joined := false
	var never, no, been, first bool // the denial is never, or no; the last word is been, or the denial
	end := 0
	for {
		start, after := next(text, end)
		if start < 0 {
			break
		}
		if strings.ContainsAny(text[end:start], stops) {
			denied = -1
		}
		end = after
		var place [longest]byte
		word := lower(place[:0], text[start:end])
		k := kindOf(word)
		doubted--
		switch {
		case k == negator:
			denied, left, joined = start, farthest, false
			never, no = string(word) == "never", string(word) == "no"
			if isContracted(word) {
				denied = end // what is left of the word is needed: isn't
			}
		case k == condition:
			denied, doubted = -1, reach
		case denied < 0:
		case no && first && string(word) != "longer" && string(word) != "one":
			denied = -1
		case k == bad || k == good:
			kept.WriteString(text[done:denied])
			if k == good && doubted <= 0 {
				kept.WriteString(letDown)
			}
			done, denied, joined = end, end, true
		case k == joint && joined:
		case joined || left == 0 || k != between && k != degree || k == degree && (never || been):
			denied = -1
		default:
			left--
		}
		been, first = string(word) == "been", k == negator
	}
	if done == 0 {
		return text
	}
	kept.WriteString(text[done:])
	return kept.String()
}

// kindOf returns what a word in lower case does.
func kindOf(word []byte) kind {
	if isContracted(word) {
		return negator
	}
	return words()[string(word)]
}

// isContracted reports whether a word in lower case has its denial at its end: isn't.
func isContracted(word []byte) bool { return len(word) > 3 && string(word[len(word)-3:]) == "n't" }

// next returns where the next word of a text begins and ends, -1 for none.
func next(text string, from int) (start, end int) {
	for start = from; start < len(text) && !isLetter(text[start]); start++ {
	}
	if start == len(text) {
		return -1, -1
	}
	for end = start; end < len(text) && (isLetter(text[end]) || text[end] == '\''); end++ {
	}
	return start, end
}

// isLetter reports whether a byte is of a word: those beyond ASCII are.
func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 }

// lower appends a word in lower case and with plain apostrophes, or as much of it as there
// is room for.
func lower(to []byte, word string) []byte {
	for _, r := range word {
		switch {
		case len(to)+4 > cap(to):
			return to
		case r == '’':
			to = append(to, '\'')
		case r >= 'A' && r <= 'Z':
			to = append(to, byte(r)+'a'-'A')
		default:
			to = utf8.AppendRune(to, r)
		}
	}
	return to
}
