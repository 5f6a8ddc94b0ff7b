// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"math"
	"slices"
	"unicode"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/meaning"
	"github.com/touchstone-otel/touchstone/internal/evaluators/quantities"
)

// support is what a context can bear out by its words.
type support struct {
	stems map[string]int32 // of question and context, numbered
	// pairs are of neighbouring stems, true, and of stems with one between them.
	pairs     map[uint64]bool
	sentences []contextSentence
	where     map[int32][]int32 // the first sentences that have a telling stem
	// words are the first that had each stem, by its number less one, and meanings those
	// that were compared with others.
	words    []lexical.Word
	meanings []*meaning.Word
	// places are where the sentence that was looked at last first has each stem: many claims
	// in a row are most like one long sentence.
	places map[int32]int
	last   int
}

// placesIn returns where a sentence of the context first has each of its stems.
func (s *support) placesIn(at int) map[int32]int {
	if s.places != nil && s.last == at {
		return s.places
	}
	stems := s.sentences[at].stems
	s.places, s.last = make(map[int32]int, len(stems)), at
	for i, stem := range stems {
		if _, twice := s.places[stem]; !twice {
			s.places[stem] = i
		}
	}
	return s.places
}

// contextSentence is a sentence of a context.
type contextSentence struct {
	stems    []int32
	capitals []bool // which of them have one, as names do
	stance
}

// longestSentence is how many words of a sentence and of a claim are compared with all
// words of the other.
const longestSentence = 256

// beginning returns as many stems of a sentence as are compared with all of a claim.
func (s *contextSentence) beginning() []int32 { return s.stems[:min(len(s.stems), longestSentence)] }

// mostPlaces is how many sentences are kept of each stem.
const mostPlaces = 32

// newSupport reads a context. The words of the question need no support.
func newSupport(question, context string) *support {
	s := &support{stems: map[string]int32{}, pairs: map[uint64]bool{}, where: map[int32][]int32{}}
	s.read(question, false)
	s.read(context, true)
	return s
}

func (s *support) read(text string, bears bool) {
	before, earlier := int32(0), int32(0)
	for _, w := range phrases(quantities.Words(text)) {
		stem, known := s.stems[w.Stem]
		if !known {
			stem = int32(len(s.stems) + 1)
			s.stems[w.Stem] = stem
			s.words = append(s.words, w)
		}
		s.pairs[pairOf(before, stem)] = true
		if apart := pairOf(earlier, stem); !s.pairs[apart] {
			s.pairs[apart] = false
		}
		before, earlier = stem, before
		if !bears {
			continue
		}
		if w.First || len(s.sentences) == 0 {
			s.sentences = append(s.sentences, contextSentence{})
		}
		at := len(s.sentences) - 1
		sentence := &s.sentences[at]
		sentence.stems = append(sentence.stems, stem)
		sentence.capitals = append(sentence.capitals, capital(w.Text))
		sentence.add(w)
		if places := s.where[stem]; len(places) < mostPlaces && (len(places) == 0 || places[len(places)-1] != int32(at)) {
			s.where[stem] = append(places, int32(at))
		}
	}
}

// phrasal are words that say something of their own behind some others: what is switched off,
// what is sold out.
var phrasal = []struct {
	words map[string]bool
	stems map[string]string
}{
	{lexical.SetOf("turn switch"), map[string]string{"on": "switched-on", "off": "switched-off"}},
	{lexical.SetOf("is are was were stay remain"), map[string]string{"off": "switched-off"}},
	{lexical.SetOf("sold sell"), map[string]string{"out": "sold-out"}},
}

// phrases gives words of phrases stems of their own.
func phrases(words []lexical.Word) []lexical.Word {
	before := ""
	for i := range words {
		w := &words[i]
		stem := w.Stem
		for _, p := range phrasal {
			if own := p.stems[stem]; own != "" && !w.First && p.words[before] {
				w.Stem = own
			}
		}
		before = stem
	}
	return words
}

// has reports whether the question or the context has a stem.
func (s *support) has(stem string) bool { return s.stems[stem] != 0 }

func pairOf(a, b int32) uint64 { return uint64(a)<<32 | uint64(b) }

// claim is a sentence to be borne out.
type claim struct {
	words []lexical.Word
	stems []int32 // 0 is what the context does not have
	bag   lexical.Bag
	stance
	// at is the sentence of the context that has most of the claim's words by weight, -1
	// if none has any, and likeness the share.
	at       int
	likeness float64
	weight   float64 // of all its words, each once
	// by are the stems of the context that bear the words out: their own, or one of that
	// sentence that is near; share is how much each counts.
	by    []int32
	share []float64
}

func (s *support) claim(sentence string) claim {
	c := claim{words: phrases(quantities.Claimed(sentence, s.has)), bag: lexical.Bag{}}
	for _, w := range c.words {
		c.stems = append(c.stems, s.stems[w.Stem])
		c.bag[w.Stem]++
		c.add(w)
	}
	c.at, c.likeness = s.nearest(&c)
	c.by, c.share = slices.Clone(c.stems), make([]float64, len(c.stems))
	for i, stem := range c.stems {
		switch {
		case stem != 0:
			c.share[i] = 1
		case c.at < 0 || i >= longestSentence:
		default:
			c.by[i], c.share[i] = s.converse(&c, i), 1
			if c.by[i] == 0 {
				c.by[i], c.share[i] = s.nearWord(c.words[i], &s.sentences[c.at])
			}
		}
	}
	return c
}

// nearWord returns the word of a sentence that is nearest to one that the context does
// not have, and how much it stands for it.
func (s *support) nearWord(w lexical.Word, in *contextSentence) (stem int32, share float64) {
	word := meaning.WordOf(w)
	if !word.HasNear() {
		return 0, 0
	}
	for _, other := range in.beginning() {
		if near := word.Near(s.meaning(other)); near > share {
			stem, share = other, near
		}
	}
	return stem, share
}

// meaning returns the word of a stem to compare others with.
func (s *support) meaning(stem int32) *meaning.Word {
	if s.meanings == nil {
		s.meanings = make([]*meaning.Word, len(s.words))
	}
	m := s.meanings[stem-1]
	if m == nil {
		word := meaning.WordOf(s.words[stem-1])
		m = &word
		s.meanings[stem-1] = m
	}
	return m
}

// together tells of two stems of the context whether the one stands behind the other there,
// and whether that is so with one between them or the other way round.
func (s *support) together(a, b int32) (beside, loosely bool) {
	beside, apart := s.pairs[pairOf(a, b)]
	return beside, apart || s.pairs[pairOf(b, a)]
}

// supports reports whether a sentence is borne out: its names and numbers are in
// the context, and so are enough of its words and pairs of words, and the
// sentence of the context that is most like it does not say otherwise.
func (s *support) supports(sentence string) bool {
	c := s.claim(sentence)
	for i, w := range c.words {
		if c.stems[i] == 0 && isName(w) {
			return false
		}
	}
	covered := c.covered()
	if len(c.words) > 1 {
		covered += pairsCount * (s.paired(&c) - covered)
	}
	return covered >= s.least() && !s.contradicts(&c)
}

// covered is the share of a claim's words by weight that the context has.
func (c *claim) covered() float64 {
	found, all := 0.0, 0.0
	seen := make(map[string]bool, len(c.words))
	for i, w := range c.words {
		if !seen[w.Stem] {
			seen[w.Stem] = true
			weight := lexical.Weight(w.Stem)
			found += weight * c.share[i]
			all += weight
		}
	}
	if all == 0 {
		return 1
	}
	return found / all
}

// paired is the share of a claim's pairs of words that the context has: as much as the less
// borne out of the two, and looselyCounts of it where they do not follow one another there.
func (s *support) paired(c *claim) float64 {
	found := 0.0
	for i := 1; i < len(c.words); i++ {
		a, b := c.by[i-1], c.by[i]
		if a == 0 || b == 0 {
			continue
		}
		share := min(c.share[i-1], c.share[i])
		switch beside, loosely := s.together(a, b); {
		case beside:
			found += share
		case loosely:
			found += looselyCounts * share
		}
	}
	return found / float64(len(c.words)-1)
}

// The mean share of a sentence's words and pairs of words that a context must
// have: an answer that rests on a sentence or three repeats their words, and one that
// sums up pages has to find words for them. All were chosen on halves of BEGIN, FaithDial,
// MultiNLI and WiCE.
const (
	fewSentences, leastOfFew   = 3, 0.63
	manySentences, leastOfMany = 60, 0.46
	// pairsCount is the weight of pairs of words next to single words.
	pairsCount    = 0.42
	looselyCounts = 0.5
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
