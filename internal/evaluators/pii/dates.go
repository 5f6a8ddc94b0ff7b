// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"github.com/touchstone-otel/touchstone/internal/evaluators/pii/idnumber"
)

const (
	plainDate = 0.5
	// oldestBirth is the year from which a living person may be born.
	oldestBirth = 1900
)

var months = set("january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec " +
	"januar februar märz mai juni juli oktober dezember enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre " +
	"janvier février mars avril juin juillet août septembre octobre novembre décembre gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre " +
	"janeiro fevereiro março maio junho julho setembro outubro novembro dezembro")

// ofMonth are the words between a day, its month and its year.
var ofMonth = set("de del of")

// findDates finds days. A word that speaks of a birth makes them a person's.
func findDates(s *scan, yield func(match) bool) {
	last := -1
	for _, i := range s.numeric {
		for first := max(last+1, i-1); first <= i; first++ { // a month may be before the day
			n := s.date(first)
			if n == 0 || s.isLongAgo(first, n) {
				continue
			}
			if !yield(s.span(first, n, plainDate)) {
				return
			}
			last = first + n - 1
		}
	}
}

// isLongAgo reports whether one of the tokens of a day is a year in which no living
// person was born.
func (s *scan) isLongAgo(i, n int) bool {
	for _, t := range s.tokens[i : i+n] {
		if t.number(4) && idnumber.Remainder(s.of(t), 10_000) < oldestBirth {
			return true
		}
	}
	return false
}

// date returns how many tokens from i on are a day, 0 if they are none.
func (s *scan) date(i int) int {
	t := s.tokens[i]
	switch {
	case t.digits == 0 && !s.capital(i):
		return 0
	case s.numbers(i, "-./", 4, 2, 2), s.numbers(i, "-./", 2, 2, 4), s.numbers(i, "-./", 1, 2, 4), s.numbers(i, "-./", 2, 1, 4), s.numbers(i, "-./", 1, 1, 4), s.numbers(i, "/.", 2, 2, 2):
		if t.digits == 4 {
			return s.dateIf(i, i+1, i+2)
		}
		return max(s.dateIf(i, i+1, i), s.dateIf(i, i, i+1))
	case t.digits >= 1 && t.digits <= 2 && t.size() <= 4 && months[s.lowerToken(i+1)] && s.spaced(i+1, " ."), // 12 March 1985
		t.digits == 0 && months[s.lowerToken(i)] && s.capital(i) && i+2 < len(s.tokens) && s.tokens[i+1].digits > 0 && s.tokens[i+1].digits <= 2 && s.spaced(i+1, " ."):
		if i+2 < len(s.tokens) && s.tokens[i+2].number(4) && s.spaced(i+2, " .,") {
			return 3
		}
		if i+3 < len(s.tokens) && ofMonth[s.lowerToken(i+2)] && s.tokens[i+3].number(4) && s.spaced(i+2, " ") && s.spaced(i+3, " ") { // 12 marzo del 1985
			return 4
		}
	case t.digits >= 1 && t.digits <= 2 && t.size() <= 4 && ofMonth[s.lowerToken(i+1)] && months[s.lowerToken(i+2)] && ofMonth[s.lowerToken(i+3)] && // 12 de marzo de 1985
		s.spaced(i+1, " ") && s.spaced(i+2, " ") && s.spaced(i+3, " ") && s.spaced(i+4, " ") && s.tokens[i+4].number(4):
		return 5
	}
	return 0
}

// dateIf returns 3 if the tokens are a month and a day, whichever it is.
func (s *scan) dateIf(first, second, third int) int {
	month, day := s.number(second), s.number(third)
	if first == third {
		month, day = s.number(second), s.number(first)
	}
	if idnumber.IsDay(month, day) {
		return 3
	}
	return 0
}

func (s *scan) number(i int) int { return idnumber.Remainder(s.of(s.tokens[i]), 10_000) }

// findPostcodes finds five digits, which only a word makes a postcode. Those
// that are printed as samples are none.
func findPostcodes(s *scan, yield func(match) bool) {
	for _, i := range s.numeric {
		t := s.tokens[i]
		if t.number(5) && s.of(t) != "12345" && !idnumber.SameDigits(s.of(t)) && !yield(s.span(i, 1, 0.5)) {
			return
		}
	}
}

// findLicences finds numbers that words make those of a driver's licence.
func findLicences(s *scan, yield func(match) bool) {
	for _, i := range s.numeric {
		t := s.tokens[i]
		n := 1
		switch {
		case s.numbers(i, "- ", 4, 2, 4), s.numbers(i, "-", 3, 4, 4), s.numbers(i, "-", 3, 3, 3), s.numbers(i, "-", 2, 3, 4), s.numbers(i, "-", 3, 2, 4):
			n = 3
		case t.digits >= 6 && t.size() <= 16 && t.letters()+t.digits == t.size():
		default:
			continue
		}
		if !yield(s.span(i, n, 0.46)) {
			return
		}
	}
}
