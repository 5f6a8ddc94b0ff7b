// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much the words around a match add, and how far they may be.
const (
	contextBonus = 0.35
	contextFloor = 0.4
	wordsBefore  = 5
	wordsAfter   = 2
	// labelled is the score of what stands right behind its label.
	labelled = 0.85
	// scoreNoise forgives what floating point loses in a sum.
	scoreNoise = 1e-9
)

// match is what a recognizer found: bytes of the text and how sure the form
// alone makes it.
type match struct {
	start, end int
	score      float64
	fixed      bool // words around it change nothing
}

// recognizer finds one kind of personal information.
type recognizer struct {
	entity string
	// context makes a match more likely.
	context *words
	// find hands over matches until yield says that it has seen enough.
	find func(s *scan, yield func(match) bool)
	// labels, right before a match, leave no doubt about it. They are for what
	// has so common a form that words nearby are not enough.
	labels map[string]bool
}

// token is a run of word characters of the text.
type token struct {
	start, end int
	digits     int // ASCII digits in it
	// more has the number of ASCII letters and, as humped, whether there is an
	// underscore or a capital behind a small letter: with more than four fields
	// a token would no longer be kept in registers.
	more int
}

const humped = 1 << 32

func (t token) letters() int { return t.more &^ humped }

// compound reports whether the token may be a key of several words.
func (t token) compound() bool { return t.more&humped != 0 || t.digits > 0 && t.more > 0 }

func (t token) size() int { return t.end - t.start }

// number reports whether the token is n digits and nothing else.
func (t token) number(n int) bool { return t.digits == n && t.size() == n }

// scan is one text with its tokens.
type scan struct {
	text      string
	tokens    []token
	numeric   []int // the tokens with digits
	threshold float64
	low       string // the text in lower case, once it is needed
	invented  int    // the first token that is a teller, as far as was looked
	rows      []table
	tabled    bool // rows are known
}

func newScan(text string, threshold float64) *scan {
	s := &scan{text: text, threshold: threshold}
	open, beyond := false, false
	var t token
	for i := 0; i < len(text); {
		c, size := rune(text[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(text[i:])
		}
		if isWordRune(c) {
			// Numbers follow words of scripts without spaces at once.
			if open && unspaced(c) != beyond {
				t.end, open = i, false
				s.add(t)
			}
			if !open {
				t, open, beyond = token{start: i}, true, unspaced(c)
			}
			switch {
			case c >= '0' && c <= '9':
				t.digits++
			case c == '_':
				t.more |= humped
			case c < utf8.RuneSelf:
				t.more++
				if c <= 'Z' && i > t.start && text[i-1] > 'Z' || c > 'Z' && i > t.start+1 && text[i-1] <= 'Z' && text[i-2] <= 'Z' && text[i-2] > '9' {
					t.more |= humped
				}
			}
		} else if open {
			t.end, open = i, false
			s.add(t)
		}
		i += size
	}
	if open {
		t.end = len(text)
		s.add(t)
	}
	return s
}

func (s *scan) add(t token) {
	if t.digits > 0 {
		s.numeric = append(s.numeric, len(s.tokens))
	}
	s.tokens = append(s.tokens, t)
}

// unspaced reports whether a letter is of a script that has no spaces between
// words, or sets particles at their ends: Thai, Lao, Korean, Japanese, Chinese.
func unspaced(r rune) bool {
	return r >= 0xE00 && (r < 0xF00 || r >= 0x1100 && r < 0x1200 || r >= 0x2E80 && r < 0xD800 || r >= 0xF900 && r < 0xFB00 || r >= 0xFF66 && r < 0xFFE0 || r >= 0x20000)
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// run hands over what is found with a score of at least the threshold. It
// returns false if yield has seen enough.
func (s *scan) run(wanted map[string]bool, yield func(kind string, m match) bool) bool {
	more := true
	for _, r := range recognizers {
		if wanted != nil && !wanted[r.entity] {
			continue
		}
		r.find(s, func(m match) bool {
			if m.score = s.score(m, r); m.score >= s.threshold-scoreNoise {
				more = yield(r.entity, m)
			}
			return more
		})
		if !more {
			return false
		}
	}
	s.findIdentifiers(func(of int, m match) bool {
		kind := identifiers[of].Name
		if (wanted == nil || wanted[kind]) && m.score >= s.threshold-scoreNoise {
			more = yield(kind, m)
		}
		return more
	})
	return more
}

// kinds enters the kinds that are found and were not yet.
func (s *scan) kinds(wanted, hits map[string]bool) {
	for _, r := range recognizers {
		if wanted != nil && !wanted[r.entity] || hits[r.entity] {
			continue
		}
		r.find(s, func(m match) bool {
			if s.score(m, r) >= s.threshold-scoreNoise {
				hits[r.entity] = true
			}
			return !hits[r.entity]
		})
	}
	s.findIdentifiers(func(of int, m match) bool {
		kind := identifiers[of].Name
		if (wanted == nil || wanted[kind]) && m.score >= s.threshold-scoreNoise {
			hits[kind] = true
		}
		return true
	})
}

// score returns the score of a match with the words around it, as far as they
// can matter.
func (s *scan) score(m match, r recognizer) float64 {
	enough := s.threshold - scoreNoise
	if m.score >= enough || m.fixed {
		return m.score
	}
	if raised := min(1, max(contextFloor, m.score+contextBonus)); raised >= enough && r.context != nil && s.hasContext(m.start, m.end, r.context) {
		return raised
	}
	if r.labels != nil && labelled >= enough {
		if first, _ := s.around(m.start, m.end); s.isLabelled(first, r.labels) {
			return labelled
		}
	}
	return m.score
}

// hasContext reports whether one of the words is near text[start:end], or
// heads its column.
func (s *scan) hasContext(start, end int, w *words) bool {
	first, behind := s.around(start, end)
	for i := max(0, first-wordsBefore); i < first; i++ {
		if w.has(s, i) {
			return true
		}
	}
	for i := behind; i < min(len(s.tokens), behind+wordsAfter); i++ {
		if w.has(s, i) {
			return true
		}
	}
	for i, last := s.head(start); i < last; i++ {
		if w.has(s, i) {
			return true
		}
	}
	return w.also != nil && w.also(s, start, end)
}

// around returns the first token that is not before text[start:end], and the
// first that is behind it.
func (s *scan) around(start, end int) (first, behind int) {
	first = sort.Search(len(s.tokens), func(i int) bool { return s.tokens[i].end > start })
	behind = first
	for behind < len(s.tokens) && s.tokens[behind].start < end {
		behind++
	}
	return first, behind
}

// of returns the text of a token.
func (s *scan) of(t token) string { return s.text[t.start:t.end] }

// gap returns what stands between tokens i-1 and i when it is a single byte, and
// 0 otherwise.
func (s *scan) gap(i int) byte {
	if i <= 0 || i >= len(s.tokens) || s.tokens[i].start != s.tokens[i-1].end+1 {
		return 0
	}
	return s.text[s.tokens[i-1].end]
}

// numbers reports whether the tokens from i on are numbers of these lengths
// with the same one of the separators between them.
func (s *scan) numbers(i int, separators string, lengths ...int) bool {
	if i+len(lengths) > len(s.tokens) {
		return false
	}
	for k, n := range lengths {
		if !s.tokens[i+k].number(n) {
			return false
		}
		if k == 0 {
			continue
		}
		if gap := s.gap(i + k); gap == 0 || strings.IndexByte(separators, gap) < 0 || gap != s.gap(i+1) {
			return false
		}
	}
	return true
}

// span returns the match of n tokens from i on.
func (s *scan) span(i, n int, score float64) match {
	return match{start: s.tokens[i].start, end: s.tokens[i+n-1].end, score: score}
}

// digitsOf returns the digits of n tokens from i on.
func (s *scan) digitsOf(i, n int) string {
	if n == 1 {
		return s.of(s.tokens[i])
	}
	var b strings.Builder
	for _, t := range s.tokens[i : i+n] {
		b.WriteString(s.of(t))
	}
	return b.String()
}
