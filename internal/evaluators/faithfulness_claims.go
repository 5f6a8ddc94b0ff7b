// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/meaning"
)

var (
	// bareReply is an answer of a yes or no alone, or with no more than the words of the
	// question that any answer has: "Yes, it is."
	bareReply = regexp.MustCompile(`(?i)^\W{0,3}(yes|no)(?:\W{1,3}(?:it|they|you|we|he|she|that|this|there|i)\s+(?:is|are|was|were|do|does|did|can|could|will|would|may|has|have|had|should|must)(?:\s+not|not|n['’]t)?)?\W*$`)
	// askedFor is what a question that wants yes or no begins with.
	askedFor = regexp.MustCompile(`(?i)^(?:(?:and|so|but|ok|okay|well|hi|hello|please)\W+)?(?:is|are|was|were|am|do|does|did|can|could|will|would|may|might|has|have|had|should|must)(?:n['’]t)?\s+(.+)$`)
	// askedAbout is what is asked for in other forms.
	askedAbout = regexp.MustCompile(`(?i)\b(?:whether|if)\s+(.+)$`)
)

// askedStatement returns what a question wants yes or no for, as a statement, and "" where it
// wants something else.
func askedStatement(question string) string {
	for _, s := range slices.Backward(lexical.Sentences(question)) {
		s = strings.TrimSpace(s)
		for _, form := range []*regexp.Regexp{askedFor, askedAbout} {
			if found := form.FindStringSubmatch(s); found != nil {
				return strings.TrimRight(found[1], "?! ") + "."
			}
		}
	}
	return ""
}

// bears reports whether a context bears out a yes to what is asked, or a no: the one claims
// it, the other that it is not so.
func (s *support) bears(yes bool, asked string) bool {
	if yes {
		return s.supports(asked)
	}
	c := s.claim(asked)
	return s.contradicts(&c) || c.at >= 0 && c.likeness >= oppositeFrom && s.misnumbers(&c, &s.sentences[c.at], s.placesIn(c.at))
}

// What a quantifier tells: all of what is counted or at all times, and a part of it.
var (
	ofAll     = lexical.SetOf("all every each")
	allPeople = lexical.SetOf("everyone everybody everything")
	atAll     = lexical.SetOf("at after above") // before an "all" that counts nothing
	allTimes  = lexical.SetOf("always constantly")
	ofSome    = stemsOf("some several many most few majority certain")
	someTimes = stemsOf("sometimes often usually frequently occasionally normally generally typically mostly")
	alone     = stemsOf("only solely exclusively exclusive alone sole just merely nothing reserved limited restricted")
	onlySaid  = lexical.SetOf("only solely exclusively")
)

// quantifiedWithin is how many words there are at most between a quantifier and what it counts.
const quantifiedWithin = 4

// stemsOf returns the stems of words when they are first needed.
func stemsOf(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		stems := map[string]bool{}
		for word := range lexical.SetOf(list) {
			stems[lexical.Stem(word)] = true
		}
		return stems
	})
}

// overstates reports whether a claim says of all, always or only what the sentence says of
// some, sometimes or without that.
func (s *support) overstates(c *claim, near *contextSentence, has map[int32]int) bool {
	for i, w := range c.words[:min(len(c.words), longestSentence)] {
		if _, same := has[c.stems[i]]; same && c.stems[i] != 0 {
			continue
		}
		switch text := strings.ToLower(w.Text); {
		case ofAll[text]:
			if i > 0 && atAll[strings.ToLower(c.words[i-1].Text)] {
				continue
			}
			if at := s.counted(c, i, has); at >= 0 && s.hasOf(near, ofSome(), at-quantifiedWithin, at) {
				return true
			}
		case allPeople[text] && s.hasOf(near, ofSome(), 0, longestSentence), allTimes[text] && s.hasOf(near, someTimes(), 0, longestSentence):
			return true
		case onlySaid[text] && (i+1 == len(c.words) || !isCount(c.words[i+1].Stem)) && !s.hasOf(near, alone(), 0, longestSentence):
			return true
		}
	}
	return false
}

// counted returns where the sentence has what the quantifier of a claim at i counts, -1 where
// it has none.
func (s *support) counted(c *claim, i int, has map[int32]int) int {
	for k := i + 1; k < min(len(c.words), i+1+quantifiedWithin); k++ {
		if !lexical.Telling(c.words[k].Stem) {
			continue
		}
		if at, shared := has[c.stems[k]]; shared && c.stems[k] != 0 {
			return at
		}
		return -1
	}
	return -1
}

// hasOf reports whether a sentence has one of some stems between two places.
func (s *support) hasOf(near *contextSentence, stems map[string]bool, from, to int) bool {
	words := near.beginning()
	for _, stem := range words[max(0, from):max(0, min(to, len(words)))] {
		if stems[s.words[stem-1].Stem] {
			return true
		}
	}
	return false
}

// Words between two things in an enumeration.
var (
	joining  = stemsOf("and but while whereas")
	articles = stemsOf("the a an its their our his her my your")
)

// swapsKinds reports whether a claim tells of two things what the sentence tells of the other
// one each, by words of one kind: the apples in autumn and the cherries in summer; or of one
// what it tells of the other.
func (s *support) swapsKinds(c *claim, near *contextSentence, has map[int32]int) bool {
	words := c.words[:min(len(c.words), longestSentence)]
	var kinds []int // the claim's words of a kind that the sentence has
	for i, w := range words {
		if _, shared := has[c.stems[i]]; shared && c.stems[i] != 0 && !isCount(w.Stem) && meaning.HasKind(kindOf(w)) && (!verbsToo[w.Stem] || capital(w.Text)) {
			kinds = append(kinds, i)
		}
	}
	for n, k := range kinds {
		if n > 0 && s.aboutOther(c, kinds[n-1], k, has) {
			return true
		}
	}
	return len(kinds) == 1 && s.ofOther(c, kinds[0], near, has)
}

// aboutOther reports whether two words of one kind stand in the sentence the other way round
// about a word that the claim has between them.
func (s *support) aboutOther(c *claim, i, k int, has map[int32]int) bool {
	first, last := has[c.stems[i]], has[c.stems[k]]
	if first <= last || !meaning.OfOneKind(kindOf(c.words[i]), kindOf(c.words[k])) {
		return false
	}
	for j := i + 1; j < k; j++ {
		at, shared := has[c.stems[j]]
		if shared && c.stems[j] != 0 && at > last && at < first && lexical.Telling(c.words[j].Stem) {
			return true
		}
	}
	return false
}

// ofOther reports whether the sentence tells a claim's word of a kind of another thing than
// the claim does: "The museum is closed on Monday and the garden on Tuesday."
func (s *support) ofOther(c *claim, i int, near *contextSentence, has map[int32]int) bool {
	words, here, kind := near.beginning(), has[c.stems[i]], kindOf(c.words[i])
	for at := 0; at+3 < len(words); at++ {
		if !joining()[s.words[words[at+1]-1].Stem] || !articles()[s.words[words[at+2]-1].Stem] {
			continue
		}
		before, thing := s.words[words[at]-1], s.words[words[at+3]-1].Stem
		if !lexical.Telling(thing) || at != here && !meaning.OfOneKind(kind, kindOf(before)) {
			continue
		}
		switch {
		case at < here && here <= at+3+quantifiedWithin && c.bag[thing] == 0 && s.tellsBetween(c, words, at+3, here) == 0 && s.tellsBetween(c, words, 0, at) > 0:
			return true // The thing has this property, and the claim is about another.
		case at == here && c.bag[thing] > 0 && s.otherBehind(kind, words, at+4):
			first := slices.IndexFunc(words, func(stem int32) bool { return lexical.Telling(s.words[stem-1].Stem) })
			if c.bag[s.words[words[first]-1].Stem] == 0 {
				return true
			}
		}
	}
	return false
}

// tellsBetween returns how many telling words of a sentence between two places a claim has.
func (s *support) tellsBetween(c *claim, words []int32, from, to int) int {
	n := 0
	for _, stem := range words[from:to] {
		if w := s.words[stem-1].Stem; lexical.Telling(w) && c.bag[w] > 0 {
			n++
		}
	}
	return n
}

// otherBehind reports whether another word of a kind comes shortly behind a place.
func (s *support) otherBehind(kind string, words []int32, from int) bool {
	return slices.ContainsFunc(words[min(from, len(words)):min(from+quantifiedWithin, len(words))], func(stem int32) bool {
		return meaning.OfOneKind(kind, kindOf(s.words[stem-1]))
	})
}
