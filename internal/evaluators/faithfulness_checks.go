// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/meaning"
)

// namelike reports whether a word looks like a name: it has a capital, and
// the beginning of its sentence does not explain it.
func namelike(w lexical.Word) bool {
	return capital(w.Text) && (!w.First || !lexical.Usual(strings.ToLower(w.Text)))
}

// mixesNames reports whether a claim puts a name together from two of the sentence: its
// parts stand there, one before another name and one behind another, and nowhere in
// the context together.
func (s *support) mixesNames(c *claim, near *contextSentence) bool {
	for i := 1; i < min(len(c.words), longestSentence); i++ {
		a, b := c.stems[i-1], c.stems[i]
		if a == 0 || b == 0 || !namelike(c.words[i-1]) || !namelike(c.words[i]) {
			continue
		}
		if beside, loosely := s.together(a, b); beside || loosely {
			continue
		}
		leads, follows := false, false
		for at := 1; at < len(near.beginning()); at++ {
			if near.capitals[at-1] && near.capitals[at] {
				leads, follows = leads || near.stems[at-1] == a, follows || near.stems[at] == b
			}
		}
		if leads && follows {
			return true
		}
	}
	return false
}

// verbsToo are words that are of a kind only with a capital: the names of months.
var verbsToo = lexical.SetOf("may march")

// otherKind reports whether a claim has a word in whose place the sentence has another of
// its kind: June and May, miles and kilometres.
func (s *support) otherKind(c *claim, near *contextSentence, has map[int32]int) bool {
	for i, w := range c.words[:min(len(c.words), longestSentence)] {
		kind := kindOf(w)
		if _, same := has[c.stems[i]]; same && c.stems[i] != 0 || verbsToo[w.Stem] && !capital(w.Text) || !meaning.HasKind(kind) {
			continue
		}
		for at, stem := range near.beginning() {
			other := s.words[stem-1].Stem
			if c.bag[other] == 0 && (!verbsToo[other] || near.capitals[at]) && meaning.OfOneKind(kind, kindOf(s.words[stem-1])) {
				return true
			}
		}
	}
	return false
}

func isCount(stem string) bool { return stem[0] >= '0' && stem[0] <= '9' }

// kindOf returns the stem by which a word is of a kind: a number that is spelled is a
// word among others.
func kindOf(w lexical.Word) string {
	if isCount(w.Stem) && !isCount(w.Text) {
		return lexical.Stem(w.Text)
	}
	return w.Stem
}

// miscounts reports whether a claim has a number before a word before which the sentence
// has others: 30 sheep where it has 12 sheep and 30 goats.
func (s *support) miscounts(c *claim, near *contextSentence) bool {
	for i := 1; i < min(len(c.words), longestSentence); i++ {
		if c.stems[i] == 0 || !isCount(c.words[i-1].Stem) || isCount(c.words[i].Stem) || !lexical.Telling(c.words[i].Stem) {
			continue
		}
		counted, same := false, false
		for at := 1; at < len(near.beginning()); at++ {
			before, here := s.words[near.stems[at-1]-1].Stem, s.words[near.stems[at]-1].Stem
			switch {
			case !isCount(before):
			case near.stems[at] == c.stems[i]:
				counted, same = true, same || before == c.words[i-1].Stem
			case before == c.words[i-1].Stem && !lexical.Telling(here):
				same = true // what it counts is left out
			}
		}
		if counted && !same {
			return true
		}
	}
	return false
}

// ordering are words that put what is on their left before or behind what is on their right.
var ordering = lexical.SetOf("before after prior follow earlier later")

// thanWithin is how many words after a comparison its "than" comes at most.
const thanWithin = 4

// orders reports whether the word of a claim at i puts two things in an order, so that its
// opposite says the same of them the other way round: before, older than.
func orders(c *claim, i int) bool {
	if ordering[c.words[i].Stem] {
		return true
	}
	for _, w := range c.words[i+1 : min(i+1+thanWithin, len(c.words))] {
		if w.Stem == "than" {
			return true
		}
	}
	return false
}

// converse returns the opposite of the claim's word at i where the sentence most like the
// claim says the same by it: B is older where A is younger. It is 0 where there is none.
func (s *support) converse(c *claim, i int) int32 {
	opposites := meaning.Opposites(c.words[i].Stem)
	if len(opposites) == 0 || !orders(c, i) {
		return 0
	}
	near := &s.sentences[c.at]
	for _, opposite := range opposites {
		stem := s.stems[opposite]
		if at := slices.Index(near.beginning(), stem); stem != 0 && at >= 0 && s.swapped(c, i, near, at) {
			return stem
		}
	}
	return 0
}

// swapped reports whether what a claim has on the left of its word at i is on the right
// of the sentence's word at j, or the other way round.
func (s *support) swapped(c *claim, i int, near *contextSentence, j int) bool {
	first := make(map[int32]int, len(near.stems))
	for at, stem := range near.beginning() {
		if _, again := first[stem]; !again {
			first[stem] = at
		}
	}
	turned, straight := 0, 0
	for k, stem := range c.stems[:min(len(c.stems), longestSentence)] {
		at, shared := first[stem]
		if k == i || stem == 0 || !shared || at == j || !lexical.Telling(c.words[k].Stem) {
			continue
		}
		if (k < i) == (at < j) {
			straight++
		} else {
			turned++
		}
	}
	return turned > straight
}

// turnsOrder reports whether a claim and the sentence have one word that puts things in an
// order, and the things the other way round.
func (s *support) turnsOrder(c *claim, near *contextSentence, has map[int32]int) bool {
	for i, stem := range c.stems[:min(len(c.stems), longestSentence)] {
		at, shared := has[stem]
		if stem == 0 || !shared || !orders(c, i) || !ordering[c.words[i].Stem] && len(meaning.Opposites(c.words[i].Stem)) == 0 {
			continue
		}
		if s.swapped(c, i, near, at) {
			return true
		}
	}
	return false
}
