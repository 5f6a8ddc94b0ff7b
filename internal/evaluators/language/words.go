// SPDX-License-Identifier: Apache-2.0

package language

import (
	"bytes"
	_ "embed"
	"iter"
	"math/bits"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed words.txt
var list string

// word is a common word: the languages that have it, as bits in the order of
// codes, and what it counts for each of them, the more the fewer they are.
type word struct {
	languages uint32
	weight    int
}

// whole is the weight of a word that one language alone has.
const whole = 12

// lexicon has the common words of languages, English first.
type lexicon struct {
	codes []string
	words map[string]word
}

var common = sync.OnceValue(func() *lexicon { return readWords(list) })

// readWords reads lines with a code and the words of its language.
func readWords(text string) *lexicon {
	l := &lexicon{words: map[string]word{}}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		for _, text := range fields[1:] {
			languages := l.words[text].languages | 1<<len(l.codes)
			l.words[text] = word{languages, max(1, whole/bits.OnesCount32(languages))}
		}
		l.codes = append(l.codes, fields[0])
	}
	return l
}

// tally is what the common words of a text say for a language: how many there
// are, and what they weigh.
type tally struct{ words, weight int }

// atLeast is what a common word of English weighs for English: it takes more to
// say that a text is in another language.
const atLeast = whole / 2

// byWords returns the language whose common words a text has most of, and "" if
// it has too few of any. foreign says that next to nothing speaks for English.
func byWords(text string) (code string, foreign bool) {
	l := common()
	var found [32]tally
	words := 0
	count := func(w []byte) {
		words++
		known := l.words[string(w)] // which copies nothing
		if known.languages&1 != 0 {
			found[0].weight += max(0, atLeast-known.weight)
		}
		for left := known.languages; left != 0; left &= left - 1 {
			t := &found[bits.TrailingZeros32(left)]
			t.words++
			t.weight += known.weight
		}
	}
	for w := range eachWord(text) {
		if at := bytes.IndexByte(w, '\''); at >= 0 {
			before, after := l.parts(w)
			if len(before) > 0 {
				count(before)
			}
			w = after
		}
		count(w)
	}
	english, best := found[0], 1
	for i := 2; i < len(l.codes); i++ {
		if found[i].weight > found[best].weight {
			best = i
		}
	}
	// About a third of the words of a text are common ones.
	enough := func(t tally) bool { return t.words*8 >= words }
	switch other := found[best]; {
	case other.weight > english.weight*3/2 && other.words > 1 && enough(other):
		return l.codes[best], true
	case english.weight >= max(whole, other.weight) && enough(english):
		return English, false
	default:
		return "", english.weight <= atLeast
	}
}

// eachWord returns the words of a text in lower case, one after the other in the
// same place: what is kept has to be copied.
func eachWord(text string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var place [64]byte
		w := place[:0]
		for i := 0; i < len(text); {
			r, size := rune(text[i]), 1
			if r >= utf8.RuneSelf {
				r, size = utf8.DecodeRuneInString(text[i:])
			}
			i += size
			switch {
			case 'a' <= r && r <= 'z' || r == '\'':
				w = append(w, byte(r))
			case 'A' <= r && r <= 'Z':
				w = append(w, byte(r)|0x20)
			case r == '’':
				w = append(w, '\'')
			case r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.Is(unicode.Mark, r)):
				w = utf8.AppendRune(w, unicode.ToLower(r))
			default:
				if len(w) > 0 && !yield(w) {
					return
				}
				w = place[:0]
			}
		}
		if len(w) > 0 {
			yield(w)
		}
	}
}

// parts takes apart what some languages join by an apostrophe, as in l'eau.
func (l *lexicon) parts(w []byte) (before, after []byte) {
	w = bytes.Trim(w, "'")
	at := bytes.IndexByte(w, '\'')
	if at < 0 || at > 4 || !l.has(w[:at+1]) || l.has(w) {
		return nil, w
	}
	return w[:at+1], w[at+1:]
}

func (l *lexicon) has(w []byte) bool {
	_, known := l.words[string(w)]
	return known
}
