// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/meaning"
)

// stance is what a sentence commits to: whether it denies, doubts or reports, in which voice, with
// which numbers.
type stance struct {
	denials []int // where words are that turn it around
	hedged  bool  // it says that something may be, or that another person says so
	passive bool  // by whom something was done comes last
	numbers []string
	was     bool
	words   int // how many it has
	// contained says that its last word is one of what is in something else.
	contained bool
}

var (
	denying = lexical.SetOf("not no never none nobody nothing nowhere neither nor without cannot hardly barely scarcely fail failed fails refuse refused refuses deny denied denies lack lacks lacked " +
		"unable non avoid avoided prevent prevented")
	hedging = lexical.SetOf("may might could possibly perhaps allegedly reportedly supposedly rumored rumoured hope hopes hoped plan plans planned intends intended wants wanted")
	being   = lexical.SetOf("was were is are been be being got gets")
)

// denyingStems are the stems of what denies.
var denyingStems = sync.OnceValue(func() map[string]bool {
	stems := make(map[string]bool, len(denying))
	for word := range denying {
		stems[lexical.Stem(word)] = true
	}
	return stems
})

// add notes what a word of the sentence tells.
func (s *stance) add(w lexical.Word) {
	s.words++
	if len(w.Text) > 15 {
		return
	}
	if first := w.Text[0]; first >= '0' && first <= '9' {
		s.numbers = append(s.numbers, w.Stem)
		return
	}
	text := strings.ToLower(w.Text)
	switch {
	case denying[text], strings.HasSuffix(text, "n't"), strings.HasSuffix(text, "n’t"):
		s.denials = append(s.denials, s.words-1)
	case hedging[text] && (!verbsToo[text] || w.First || !capital(w.Text)):
		s.hedged = true
	case being[text]:
		s.was = true
	case s.was && (text == "by" || text == "in" && s.contained):
		s.passive = true
	}
	s.contained = text == "included" || text == "contained"
}

// The shares of a claim's words, by weight, from which a sentence of the context
// is taken to speak of the same thing: so much that it may turn it around, name
// the number that the claim has wrong, or say no more than that it may be.
const (
	alikeFrom       = 0.7
	sameNumbersFrom = 0.75
	// sameKindFrom is for another word of a kind in its place, which is one that the
	// sentence does not have.
	sameKindFrom  = 0.6
	sameHedgeFrom = 0.8
	// oppositeFrom is for an opposite in its place, which then counts as one of the words
	// that it has.
	oppositeFrom = 0.5
)

// contradicts reports whether the sentence of the context that is most like a
// claim says otherwise.
func (s *support) contradicts(c *claim) bool {
	if c.at < 0 || c.likeness < oppositeFrom {
		return false
	}
	near, likeness := &s.sentences[c.at], c.likeness
	has := s.placesIn(c.at)
	turned, denied, weight := s.opposed(c, near, has)
	if likeness+weight >= alikeFrom && (turned || (len(c.denials)+len(near.denials)-denied)%2 == 1) || likeness >= sameKindFrom && s.otherKind(c, near, has) {
		return true
	}
	if likeness < alikeFrom {
		return false
	}
	switch {
	case likeness >= sameHedgeFrom && near.hedged && !c.hedged,
		likeness >= sameNumbersFrom && s.misnumbers(c, near, has),
		s.mixesNames(c, near),
		s.overstates(c, near, has),
		s.swapsKinds(c, near, has),
		likeness >= sameNumbersFrom && s.miscounts(c, near),
		s.turnsOrder(c, near, has),
		s.swaps(c, near, has):
		return true
	}
	return false
}

// nearest returns the sentence that has most of a claim's words by weight, and
// the share, and notes the weight of all, -1 if none has any.
func (s *support) nearest(c *claim) (at int, likeness float64) {
	scores := map[int32]float64{}
	all, seen := 0.0, map[int32]bool{}
	for i, stem := range c.stems {
		weight := lexical.Weight(c.words[i].Stem)
		if stem != 0 && seen[stem] {
			continue
		}
		seen[stem] = true
		all += weight
		for _, place := range s.where[stem] {
			scores[place] += weight
		}
	}
	at = -1
	for place, score := range scores {
		if score > likeness || score == likeness && int(place) < at {
			at, likeness = int(place), score
		}
	}
	if all > 0 {
		likeness /= all
	}
	return at, likeness
}

// misnumbers reports whether a claim has a number that the sentence has not,
// which has others.
func (s *support) misnumbers(c *claim, near *contextSentence, has map[int32]int) bool {
	return len(near.numbers) > 0 && slices.ContainsFunc(c.numbers, func(number string) bool {
		_, there := has[s.stems[number]]
		return !there
	})
}

// opposed looks for words of a claim whose opposite is in the sentence while they are not. It
// reports whether one is turned around by that, how many are said to be so by a
// denial of one of the two (not allowed, forbidden), and which share of the claim's weight
// they have. Words that deny are left to the count of denials.
func (s *support) opposed(c *claim, near *contextSentence, has map[int32]int) (turned bool, denied int, share float64) {
	for i, w := range c.words {
		if _, same := has[c.stems[i]]; same && c.stems[i] != 0 || denyingStems()[w.Stem] {
			continue
		}
		at := s.opposite(c, i, has)
		if at < 0 || orders(c, i) && (c.likeness < alikeFrom || i < longestSentence && s.swapped(c, i, near, at)) {
			continue
		}
		share += lexical.Weight(w.Stem) / c.weight
		if c.denies(i) != near.denies(at) {
			denied++
		} else {
			turned = true
		}
	}
	return turned, denied, share
}

// deniesWithin is how many words behind one that denies another is that it turns around.
const deniesWithin = 3

// denies reports whether a word shortly before that at i denies it.
func (s *stance) denies(i int) bool {
	behind, _ := slices.BinarySearch(s.denials, i)
	return behind > 0 && i-s.denials[behind-1] <= deniesWithin
}

// opposite returns where the sentence has an opposite of a claim's word, -1 where it has
// none: one that is known, or the word with "un" before it, or without.
func (s *support) opposite(c *claim, i int, has map[int32]int) int {
	is := func(opposite string) int {
		if stem := s.stems[opposite]; stem != 0 && c.bag[opposite] == 0 && !denyingStems()[opposite] {
			if at, there := has[stem]; there {
				return at
			}
		}
		return -1
	}
	word := c.words[i].Stem
	for _, opposite := range meaning.Opposites(word) {
		if at := is(opposite); at >= 0 {
			return at
		}
	}
	rest, without := strings.CutPrefix(word, "un")
	switch {
	case without && len(rest) >= shortestTurned && rest != "less" && lexical.Usual(rest):
		return is(rest)
	case !without && len(word) >= shortestTurned && word != "less":
		return is("un" + word)
	}
	return -1
}

// shortestTurned is how long a stem is at least that "un" turns around.
const shortestTurned = 4

// swaps reports whether two names or telling words that a claim and the
// sentence both have stand in the other order around a third.
func (s *support) swaps(c *claim, near *contextSentence, has map[int32]int) bool {
	if c.passive != near.passive {
		return false
	}
	order, names := c.shared(has)
	if swapsNames(order, names) {
		return true
	}
	n := len(order)
	if n < 3 {
		return false
	}
	first, last := order[0], order[n-1]
	if first < last || names[0] != names[n-1] {
		return false
	}
	// What is between them must be so in both: one thing done by one to the other.
	for _, at := range order[1 : n-1] {
		if at < first && at > last {
			return true
		}
	}
	return false
}

// shared returns where the sentence has the telling words that a claim shares with it,
// and which of them are names.
func (c *claim) shared(has map[int32]int) (order []int, names []bool) {
	for i, stem := range c.stems[:min(len(c.stems), longestSentence)] {
		if at, shared := has[stem]; stem != 0 && shared && lexical.Telling(c.words[i].Stem) {
			order, names = append(order, at), append(names, capital(c.words[i].Text))
		}
	}
	return order, names
}

// swapsNames reports whether two names stand the other way round about a word that is none:
// what the one did to the other.
func swapsNames(order []int, names []bool) bool {
	for i := range order {
		done := -1
		for k := i + 1; names[i] && k < len(order); k++ {
			switch {
			case !names[k]:
				done = k
			case done >= 0 && order[k] < order[done] && order[done] < order[i]:
				return true
			}
		}
	}
	return false
}

func capital(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r)
}
