// SPDX-License-Identifier: Apache-2.0

// Package meaning compares texts by what their words mean: in addition to the words that they
// share, those that are near each other count in part. Which words are near follows from
// their vectors, and those of English alone have one; opposites, words of a kind of which
// none is another, numbers and names are never near. Order, and who does what to
// whom, make no difference to it.
package meaning

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/wordvectors"
)

// Text is a text that is prepared to be compared: its stems, each once. It is for one
// goroutine.
type Text struct {
	terms  []term
	at     map[string]int32
	weight float64         // of all stems
	length float64         // of the vector of stems
	sum    wordvectors.Sum // of the words that tell of a subject
	offer  *offer          // nil until it is asked for
}

// subjectFrom is the weight from which a word tells of the subject of a text, by what
// its weight is above it: one text in twenty has such a word.
const subjectFrom = 3

// term is a stem of a text and the word that had it first.
type term struct {
	Word
	value float64 // how telling it is, of how often it occurs
}

// Word is a word and what others are compared with it by.
type Word struct {
	stem   string
	weight float64 // how telling it is
	// near says that other words may come near to it.
	near      bool
	hasVector bool
	signs     uint64
	vector    wordvectors.Vector
}

// Of prepares a text.
func Of(text string) *Text {
	t := &Text{terms: make([]term, 0, len(text)/8), at: make(map[string]int32, len(text)/8)}
	for w := range lexical.EachWord(text) {
		if i, again := t.at[w.Stem]; again {
			t.terms[i].value++
			continue
		}
		t.at[w.Stem] = int32(len(t.terms))
		t.terms = append(t.terms, term{Word: WordOf(w), value: 1})
	}
	for i := range t.terms {
		x := &t.terms[i]
		x.value = x.weight * (1 + math.Log(x.value))
		t.weight += x.weight
		t.length += x.value * x.value
		if x.hasVector {
			t.sum.Add(x.vector, float32(max(0, x.weight-subjectFrom)))
		}
	}
	t.length = math.Sqrt(t.length)
	return t
}

// WordOf prepares a word.
func WordOf(w lexical.Word) Word {
	x := Word{stem: w.Stem, weight: lexical.Weight(w.Stem)}
	word, plain := lexical.Fold(w.Text)
	if !plain {
		return x
	}
	if v, ok := wordvectors.Of(word); ok {
		x.vector, x.hasVector, x.signs = v, true, v.Signs()
		x.near = x.weight >= nearWeight && !isName(w, word)
	}
	return x
}

// HasNear reports whether other words may be near to a word: it is no name and no number,
// tells something and has a vector.
func (w *Word) HasNear() bool { return w.near }

// isName reports whether a word looks like a name: a capital says so
// within a sentence, and at the beginning of one if the word is no usual one.
func isName(w lexical.Word, folded string) bool {
	r, size := utf8.DecodeRuneInString(w.Text)
	if !unicode.IsUpper(r) || len(w.Text) == size {
		return false
	}
	return !w.First || !lexical.Usual(folded)
}

// Empty reports whether a text has no words.
func (t *Text) Empty() bool { return len(t.terms) == 0 }

// Cosine is how alike the stems of two texts are, 0 to 1, telling ones counting
// most. Texts without stems are like nothing but one another.
func (t *Text) Cosine(u *Text) float64 {
	if t.Empty() || u.Empty() {
		if t.Empty() && u.Empty() {
			return 1
		}
		return 0
	}
	if len(u.terms) < len(t.terms) {
		t, u = u, t
	}
	dot := 0.0
	for i := range t.terms {
		if j, ok := u.at[t.terms[i].stem]; ok {
			dot += t.terms[i].value * u.terms[j].value
		}
	}
	if dot == 0 {
		return 0
	}
	return min(1, dot/t.length/u.length)
}

// sameField is the cosine that texts of no common subject have: words of any two texts
// are in some way of one world.
const sameField = 0.1

// Subject is how near the subjects of two texts are, 0 to 1, by the cosine of the sums of
// their words' vectors.
func (t *Text) Subject(u *Text) float64 {
	return max(0, (float64(t.sum.Cosine(&u.sum))-sameField)/(1-sameField))
}

// wholeField is the cosine from which a text is about a topic entirely.
const wholeField = 0.5

// About is how far a text is about a topic, 0 to 1, by the cosine of the sums of their
// words' vectors: the words of a topic are few, and each that tells anything counts alike.
func (t *Text) About(topic *Text) float64 {
	var named wordvectors.Sum
	for i := range topic.terms {
		if x := &topic.terms[i]; x.hasVector && x.weight >= nearWeight {
			named.Add(x.vector, 1)
		}
	}
	return max(0, min(1, (float64(t.sum.Cosine(&named))-sameField)/(wholeField-sameField)))
}

// Bounds of what is compared word by word: of texts with more words that the other has
// not, the most telling ones.
const (
	mostMissing = 64
	mostOffered = 256
)

// Wordless reports whether a text has no words.
func (t *Text) Wordless() bool { return len(t.terms) == 0 }

// CoveredBy is the share of the weight of t's stems that u has too, a stem that a
// near word of u stands for counting in part; 1 if t has none.
func (t *Text) CoveredBy(u *Text) float64 {
	if t.weight == 0 {
		return 1
	}
	found := 0.0
	missing := make([]*term, 0, mostMissing)
	for i := range t.terms {
		x := &t.terms[i]
		if _, ok := u.at[x.stem]; ok {
			found += x.weight
		} else if x.near {
			missing = append(missing, x)
		}
	}
	if len(missing) > 0 {
		offered := u.offered()
		for _, x := range telling(missing, mostMissing) {
			found += x.weight * x.nearest(offered)
		}
	}
	return min(1, found/t.weight)
}

// offer is words that may be near to others. Their signs lie together, since most of them
// are compared by nothing else.
type offer struct {
	terms []*term
	signs []uint64
}

// offered are the words of a text that may be near to others.
func (t *Text) offered() *offer {
	if t.offer != nil {
		return t.offer
	}
	o := &offer{terms: make([]*term, 0, len(t.terms))}
	for i := range t.terms {
		if t.terms[i].near {
			o.terms = append(o.terms, &t.terms[i])
		}
	}
	o.terms = telling(o.terms, mostOffered)
	o.signs = make([]uint64, len(o.terms))
	for i, x := range o.terms {
		o.signs[i] = x.signs
	}
	t.offer = o
	return o
}

// telling returns the first n of words by how telling they are.
func telling(all []*term, n int) []*term {
	if len(all) <= n {
		return all
	}
	slices.SortStableFunc(all, func(a, b *term) int { return cmp.Compare(b.weight, a.weight) })
	return all[:n]
}

const (
	// nearWeight is how telling a word is at least that another may stand for.
	nearWeight = 1.5
	// nearFrom is the cosine of two words from which one begins to stand for the other,
	// and nearTo that from which it would wholly: none does.
	nearFrom = 0.3
	nearTo   = 1.3
	// unlikeSigns is how many signs of two vectors differ at most that are compared: as many
	// as differ at a cosine of 0.47 on average, and as few pairs of unlike words have.
	unlikeSigns = 22
)

// nearest is how much the nearest of some words stands for another, 0 to 1.
func (w *Word) nearest(offered *offer) float64 {
	best := 0.0
	for i, signs := range offered.signs {
		if bits.OnesCount64(w.signs^signs) <= unlikeSigns {
			best = max(best, w.standsFor(&offered.terms[i].Word, best))
		}
	}
	return best
}

// Near is how much one word stands for another, 0 to 1.
func (w *Word) Near(v *Word) float64 {
	if !w.near || !v.near || bits.OnesCount64(w.signs^v.signs) > unlikeSigns {
		return 0
	}
	return max(0, w.standsFor(v, 0))
}

// standsFor is how much one word stands for another, where that is more than least.
func (w *Word) standsFor(v *Word, least float64) float64 {
	near := (float64(w.vector.Cosine(v.vector)) - nearFrom) / (nearTo - nearFrom)
	if near <= least || excludes(w.stem, v.stem) {
		return 0
	}
	return near
}

// What the parts of Likeness count, and what is taken off where each text has a number
// that the other has not: fitted to pairs of sentences and how alike people found them.
const (
	stemsCount    = 0.27
	subjectCounts = 0.31
	wordsCount    = 0.42
	otherNumbers  = 0.1
)

// Likeness is how alike people would find two texts, 0 to 1: by the stems that they
// share, their subjects, and the words of each that the other has something near to.
func Likeness(t, u *Text) float64 {
	stems := t.Cosine(u)
	if t.Empty() || u.Empty() || stems > 1-1e-9 {
		return math.Round(stems)
	}
	words := (t.CoveredBy(u) + u.CoveredBy(t)) / 2
	likeness := stemsCount*stems + subjectCounts*t.Subject(u) + wordsCount*words
	if t.hasOtherNumbers(u) && u.hasOtherNumbers(t) {
		likeness -= otherNumbers
	}
	return max(0, min(1, likeness))
}

// hasOtherNumbers reports whether a text has a number that the other has not.
func (t *Text) hasOtherNumbers(u *Text) bool {
	for i := range t.terms {
		if c := t.terms[i].stem[0]; c >= '0' && c <= '9' {
			if _, ok := u.at[t.terms[i].stem]; !ok {
				return true
			}
		}
	}
	return false
}
