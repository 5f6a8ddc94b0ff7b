// SPDX-License-Identifier: Apache-2.0

package pii

import "strings"

const (
	statedAge = 0.8
	plainAge  = 0.6
	// youngest is the age from which one is taken for a person's: "explain it
	// to a five year old" speaks of no real person.
	youngest = 13
)

// agedBy are the words before ages of a language: of who speaks, and of others
// behind a word for a person.
var agedBy = map[string]struct{ own, others, people map[string]bool }{
	"jahre": {set("bin"), set("ist"), set("er sie")},
	"jaar":  {set("ben"), set("is"), set("hij zij")},
	"ans":   {set("ai"), set("a"), set("il elle")},
	"años":  {set("tengo"), set("tiene"), set("él ella")},
	"anni":  {set("ho"), set("ha"), set("lui lei")},
	"anos":  {set("tenho"), set("tem"), set("ele ela")},
}

// findAges finds ages of people: turned 60, I am 34 years old, tengo 34 años.
func findAges(s *scan, yield func(match) bool) {
	for _, i := range s.numeric {
		t := s.tokens[i]
		if !t.number(2) && (!t.number(3) || s.text[t.start] != '1') || s.number(i) < youngest || !s.spaced(i, " ") || t.end < len(s.text) && strings.IndexByte(" .,!?\n;)", s.text[t.end]) < 0 {
			continue
		}
		if score := s.ageScore(i); score > 0 && !yield(s.span(i, 1, score)) {
			return
		}
	}
}

func (s *scan) ageScore(i int) float64 {
	before, second := s.lowerToken(i-1), s.lowerToken(i-2)
	next, after := s.lowerToken(i+1), s.lowerToken(i+2)
	old := (strings.HasPrefix(next, "year") || next == "yrs" || next == "yr") && after == "old" || next == "y" && after == "o" || next == "yo"
	if by, ok := agedBy[next]; ok && after != "d" && after != "de" && after != "di" { // tengo 34 años de experiencia
		if by.own[before] || by.others[before] && by.people[second] {
			return statedAge
		}
	}
	switch {
	case before == "turned", before == "turn" && (second == "ll" || second == "will"), old && (before == "am" || before == "m" || before == "im" || before == "is" && (second == "he" || second == "she")):
		return statedAge
	case old, before == "aged", before == "of" && second == "age":
		return plainAge
	}
	return 0
}
