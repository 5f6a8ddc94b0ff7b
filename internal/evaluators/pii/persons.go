// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"maps"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How sure a name is that people have.
const (
	besideName     = 0.85 // a known given and family name next to a role or a verb
	introducedName = 0.9  // something says that a name follows
	lineName       = 0.8  // a known name is a line of its own, as in a letter or a form
	fullName       = 0.75 // a known given name and a known family name
	likelyName     = 0.6  // one of the two is known
	singleName     = 0.35 // one known name alone
)

// nameVerbs begin sentences about people.
var nameVerbs = set("ask call tell send forward email notify remind meeting invite appointment spoke talked hier ich soy sono sou je ruf rufen le la el il der die das unser unsere")

// maxNameTokens is the most words that a name has; what has more is a heading.
const maxNameTokens = 5

// nameRun is a row of words in upper case that may be a name.
type nameRun struct {
	first, last   int // tokens
	given, family int // how many are known
	unknown       int
	words         int // how many are also words
	givenFirst    bool
}

func (r nameRun) size() int { return r.last - r.first + 1 }

// findPersons finds names of people: words that begin with a capital letter,
// judged by lists of names and by what stands before them.
func findPersons(s *scan, yield func(match) bool) {
	list, err := knownNames()
	if err != nil {
		return // the list is part of this package; a test reads it
	}
	if !s.findEastern(yield) {
		return
	}
	for i := 0; i < len(s.tokens); i++ {
		if !s.capital(i) {
			if n := s.lowerName(i, list); n > 0 && !yield(s.span(i, n, introducedName)) {
				return
			}
			continue
		}
		run := s.nameRun(i, list)
		if run.size() < 1 {
			continue
		}
		i = max(i, run.last)
		if score := s.nameScore(run); score > 0 && !yield(s.span(run.first, run.size(), score)) {
			return
		}
	}
}

// lowerName returns of how many tokens a known name in lower case is that
// something before token i introduces, 0 if there is none: many people write
// without capital letters.
func (s *scan) lowerName(i int, list *nameList) int {
	if i == 0 || s.tokens[i].digits > 0 {
		return 0
	}
	before := s.lowerToken(i - 1)
	if !lowerIntroducers[before] {
		return 0
	}
	run := nameRun{first: i, last: i, unknown: 1}
	self := s.isSelf(i)
	kind := list.find(s.lowerToken(i))
	if kind.word || !kind.given && !kind.family || !self && !titles[before] && s.introduction(run) != namesAnybody {
		return 0
	}
	if i+1 < len(s.tokens) && s.joinsName(i+1) {
		if next := list.find(s.lowerToken(i + 1)); !next.word && (next.family || next.given && !self) && (kind.given || !self) {
			return 2
		}
	}
	if self || titles[before] {
		return 0 // one name behind a title may be anybody
	}
	return 1
}

// lowerIntroducers are the words right before a name in lower case.
var lowerIntroducers = func() map[string]bool {
	made := set("is s was to with im")
	for _, words := range []map[string]bool{titles, fields, selves} {
		maps.Copy(made, words)
	}
	for word := range selfPairs {
		made[word] = true
	}
	return made
}()

// isSelf reports whether the words before token i are those of a speaker about themselves.
func (s *scan) isSelf(i int) bool {
	before, second := s.lowerToken(i-1), s.lowerToken(i-2)
	between := s.text[s.tokens[i-1].end:s.tokens[i].start]
	return between == " " && (before == "im" || before == "am" && second == "i" || before != "am" && selves[before] || selfPairs[before][second] || before == "is" && second == "this")
}

// capital reports whether a token begins with a capital letter and is letters.
func (s *scan) capital(i int) bool {
	t := s.tokens[i]
	if c := s.text[t.start]; c < utf8.RuneSelf && (c < 'A' || c > 'Z') || t.digits > 0 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s.text[t.start:])
	return unicode.IsUpper(r) && strings.IndexByte(s.of(t), '_') < 0
}

// nameRun returns the row of capital words from token i on.
func (s *scan) nameRun(i int, list *nameList) nameRun {
	run := nameRun{first: i, last: i - 1}
	for k := i; k < len(s.tokens) && run.size() <= maxNameTokens; k++ {
		if k > i && !s.joinsName(k) {
			break
		}
		if !s.capital(k) {
			if k > i && nameParticles[s.of(s.tokens[k])] && k+1 < len(s.tokens) && s.joinsName(k+1) && s.capital(k+1) {
				continue
			}
			break
		}
		low := s.lowerToken(k)
		if titles[low] || callers[low] || headWords[low] || k == i && (strangers[low] || ours[low] || nameVerbs[low]) {
			if k == i {
				return nameRun{first: i, last: i - 1}
			}
			break
		}
		run.last = k
		if utf8.RuneCountInString(low) == 1 {
			continue // an initial
		}
		kind := list.find(low)
		run.givenFirst = run.givenFirst || k == i && kind.given
		switch {
		case kind.word:
			run.words++
			run.given += count(kind.given)
			run.family += count(kind.family && !kind.given)
		case kind.given:
			run.given++
		case kind.family:
			run.family++
		default:
			run.unknown++
		}
	}
	return run
}

func count(ok bool) int {
	if ok {
		return 1
	}
	return 0
}

// joinsName reports whether token k goes on with a name: only a space, a
// hyphen, an apostrophe or the full stop of an initial is between them.
func (s *scan) joinsName(k int) bool {
	switch s.text[s.tokens[k-1].end:s.tokens[k].start] {
	case " ", "-", "'":
		return true
	case ". ", ".":
		return utf8.RuneCountInString(s.of(s.tokens[k-1])) == 1
	}
	return false
}

// nameScore returns how likely a run is a name, 0 if it is none.
func (s *scan) nameScore(run nameRun) float64 {
	known := run.given + run.family
	sure := known - run.words
	if run.size() > maxNameTokens {
		return 0
	}
	switch s.introduction(run) {
	case namesAnybody:
		return introducedName
	case namesKnown:
		if sure > 0 {
			return introducedName
		}
	case namesFull:
		if run.givenFirst && known == run.size() && sure > 0 {
			return besideName
		}
	}
	switch {
	case run.size() >= 2 && run.size() <= 4 && sure > 0 && run.given > 0 && !places[s.lowerToken(run.first)] && s.isLine(run):
		return lineName
	case known >= 2 && sure > 0 && run.given > 0:
		return fullName
	case run.size() >= 2 && sure > 0:
		return likelyName
	case sure > 0:
		return singleName
	}
	return 0
}

// isLine reports whether a run is a whole line of several, but for signs.
func (s *scan) isLine(run nameRun) bool {
	start, end := s.tokens[run.first].start, s.tokens[run.last].end
	begin := start
	for begin > 0 && start-begin < maxLineSigns && strings.IndexByte(" \t>?", s.text[begin-1]) >= 0 {
		begin--
	}
	last := end
	for last < len(s.text) && last-end < maxLineSigns && strings.IndexByte(" \t\r,", s.text[last]) >= 0 {
		last++
	}
	if begin > 0 && s.text[begin-1] != '\n' || s.isChoice(run) {
		return false
	}
	return last < len(s.text) && s.text[last] == '\n' || last == len(s.text) && begin > 0 && !s.afterSentence(begin)
}

// isChoice reports whether a run begins with the letter of a choice, as in "B.
// Ada Kowalska" below "A. Paris".
func (s *scan) isChoice(run nameRun) bool {
	letter := s.of(s.tokens[run.first])
	if len(letter) != 1 || !strings.HasPrefix(s.text[s.tokens[run.first].end:], ". ") {
		return false
	}
	other := "A. "
	if letter == "A" {
		other = "B. "
	}
	i := strings.Index(s.text, other)
	return i >= 0 && (i == 0 || strings.IndexByte("\n \t(", s.text[i-1]) >= 0)
}

// afterSentence reports whether the line before byte i is a sentence, of which
// what follows is what it speaks of.
func (s *scan) afterSentence(i int) bool {
	before := strings.TrimRight(s.text[max(0, i-maxLineSigns):i], " \t\r\n_")
	return before != "" && strings.IndexByte(".?!:", before[len(before)-1]) >= 0 || strings.HasSuffix(s.text[:i], "_\n")
}

// maxLineSigns is how many signs are next to a name on its line at most.
const maxLineSigns = 16
