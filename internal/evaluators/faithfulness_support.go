// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"math"
	"unicode"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
)

// support is what a context can bear out by its words.
type support struct {
	stems     map[string]int32    // of question and context, numbered
	pairs     map[uint64]struct{} // of neighbouring stems
	sentences []contextSentence
	where     map[int32][]int32 // the first sentences that have a telling stem
}

// contextSentence is a sentence of a context.
type contextSentence struct {
	stems []int32
	stance
}

// mostPlaces is how many sentences are kept of each stem.
const mostPlaces = 32

// newSupport reads a context. The words of the question need no support.
func newSupport(question, context string) *support {
	s := &support{stems: map[string]int32{}, pairs: map[uint64]struct{}{}, where: map[int32][]int32{}}
	s.read(question, false)
	s.read(context, true)
	return s
}

func (s *support) read(text string, bears bool) {
	before := int32(0)
	for w := range lexical.EachWord(text) {
		stem, known := s.stems[w.Stem]
		if !known {
			stem = int32(len(s.stems) + 1)
			s.stems[w.Stem] = stem
		}
		s.pairs[pairOf(before, stem)] = struct{}{}
		before = stem
		if !bears {
			continue
		}
		if w.First || len(s.sentences) == 0 {
			s.sentences = append(s.sentences, contextSentence{})
		}
		at := len(s.sentences) - 1
		sentence := &s.sentences[at]
		sentence.stems = append(sentence.stems, stem)
		sentence.add(w)
		if places := s.where[stem]; len(places) < mostPlaces && (len(places) == 0 || places[len(places)-1] != int32(at)) {
			s.where[stem] = append(places, int32(at))
		}
	}
}

func pairOf(a, b int32) uint64 { return uint64(a)<<32 | uint64(b) }

// claim is a sentence to be borne out.
type claim struct {
	words []lexical.Word
	stems []int32 // 0 is what the context does not have
	bag   lexical.Bag
	stance
}

func (s *support) claim(sentence string) claim {
	c := claim{words: lexical.Words(sentence), bag: lexical.Bag{}}
	for _, w := range c.words {
		c.stems = append(c.stems, s.stems[w.Stem])
		c.bag[w.Stem]++
		c.add(w)
	}
	return c
}

// supports reports whether a sentence is borne out: its names and numbers are in
// the context, and so are enough of its words and pairs of words, and the
// sentence of the context that is most like it does not say otherwise.
func (s *support) supports(sentence string) bool {
	c := s.claim(sentence)
	found := 0
	for i, w := range c.words {
		if c.stems[i] == 0 && isName(w) {
			return false
		}
		if i > 0 && c.stems[i] != 0 && c.stems[i-1] != 0 {
			if _, paired := s.pairs[pairOf(c.stems[i-1], c.stems[i])]; paired {
				found++
			}
		}
	}
	covered := lexical.CoverageBy(c.bag, func(stem string) bool { return s.stems[stem] != 0 })
	if len(c.words) > 1 {
		covered = (covered + share(found, len(c.words)-1)) / 2
	}
	return covered >= s.least() && !s.contradicts(&c)
}

// The mean share of a sentence's words and pairs of words that a context must
// have: whoever rests on a sentence or three repeats their words, and whoever
// sums up pages has to find words for them.
const (
	fewSentences, leastOfFew   = 3, 0.57
	manySentences, leastOfMany = 60, 0.4
)

// least is the share for this context, the one between the two by how long it is.
func (s *support) least() float64 {
	n := min(max(len(s.sentences), fewSentences), manySentences)
	way := math.Log(float64(n)/fewSentences) / math.Log(float64(manySentences)/fewSentences)
	return leastOfFew - way*(leastOfFew-leastOfMany)
}

// isName reports whether a word must not be replaced by another: a number, or
// a word with a capital that the beginning of its sentence does not explain.
func isName(w lexical.Word) bool {
	for i, r := range w.Text {
		if unicode.IsDigit(r) || unicode.IsUpper(r) && (i > 0 || !w.First && w.Text != "I") {
			return true
		}
	}
	return false
}
