// SPDX-License-Identifier: Apache-2.0

// Package spelling mends slips of the keyboard in words that matter.
package spelling

import "strings"

const (
	// Shortest is the number of letters from which words are mended: shorter
	// ones are too much alike.
	Shortest = 5
	longest  = 24
)

// Speller knows words that matter and those that are none of them. It may be used
// by several goroutines.
type Speller struct {
	usual func(word string) bool
	words []string
	place map[string]int   // of a word among the words
	short map[string][]int // by what is left of words without one letter
}

// Read returns a speller of the words of a list, one in a line: those that matter,
// the likeliest first, and with a minus those that are spelt as they should be.
// usual reports whether any other word is spelt as it should be.
func Read(list string, usual func(word string) bool) *Speller {
	var words []string
	meant := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		if rest, ok := strings.CutPrefix(word, "-"); ok {
			meant[rest] = true
		} else {
			words = append(words, word)
		}
	}
	return New(words, func(word string) bool { return meant[word] || usual(word) })
}

// New returns a speller of words, in lower case, the first the likeliest. usual
// tells of other words that they are spelt as they should be.
func New(words []string, usual func(word string) bool) *Speller {
	s := &Speller{usual: usual, words: words, place: map[string]int{}, short: map[string][]int{}}
	for i, word := range words {
		if _, again := s.place[word]; again || len(word) < Shortest || len(word) > longest {
			continue
		}
		s.place[word] = i
		for _, left := range shortened(word) {
			s.short[left] = append(s.short[left], i)
		}
	}
	return s
}

// shortened returns what is left of a word without each of its letters but the
// first, which is the one that people get right, and the last, which makes another
// form of the word.
func shortened(word string) []string {
	var all []string
	for i := 1; i < len(word)-1; i++ {
		if word[i] != word[i-1] || i == 1 { // of a double letter, either
			all = append(all, word[:i]+word[i+1:])
		}
	}
	return all
}

// Mend returns the text with every unknown word that is one slip away from a word
// that matters in that word's place, in lower case, and whether there was one: two
// neighbours swapped, a letter left out or too many. Another letter makes another
// word too often: overrode is no slip of override.
func (s *Speller) Mend(text string) (string, bool) {
	var mended strings.Builder
	from := 0
	for i := 0; i < len(text); {
		if !isLetter(text[i]) {
			i++
			continue
		}
		end := i + 1
		for end < len(text) && isLetter(text[end]) {
			end++
		}
		if n := end - i; n >= Shortest-1 && n <= longest+1 && (i == 0 || text[i-1] < 0x80) && (end == len(text) || text[end] < 0x80) {
			if word, ok := s.Meant(strings.ToLower(text[i:end])); ok {
				mended.WriteString(text[from:i])
				mended.WriteString(word)
				from = end
			}
		}
		i = end
	}
	if from == 0 {
		return text, false
	}
	mended.WriteString(text[from:])
	return mended.String(), true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// Meant returns the likeliest word that an unknown one, in lower case, is a slip
// of, and whether there is one.
func (s *Speller) Meant(word string) (string, bool) {
	if _, ok := s.place[word]; ok || s.usual(word) {
		return "", false
	}
	best := len(s.words)
	for _, i := range s.short[word] { // a letter is left out
		best = min(best, i)
	}
	for _, left := range shortened(word) {
		if i, ok := s.place[left]; ok { // one is too many
			best = min(best, i)
		}
	}
	for i := 1; i+1 < len(word); i++ {
		if word[i] == word[i+1] {
			continue
		}
		if at, ok := s.place[word[:i]+word[i+1:i+2]+word[i:i+1]+word[i+2:]]; ok { // two are swapped
			best = min(best, at)
		}
	}
	if best == len(s.words) {
		return "", false
	}
	return s.words[best], true
}
