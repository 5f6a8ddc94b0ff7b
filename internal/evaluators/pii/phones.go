// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"slices"
	"strings"

	"github.com/nyaruka/phonenumbers"

	"github.com/touchstone-otel/touchstone/internal/evaluators/pii/idnumber"
)

const (
	// countryPhone is the score of a valid number with the code of its country.
	countryPhone  = 0.85
	validPhone    = 0.75
	possiblePhone = 0.5
	// barePhone is that of few digits without anything between them, which
	// need more than a word nearby.
	barePhone = 0.4

	minPhoneDigits = 7
	maxPhoneDigits = 15
	maxPhoneGroups = 7
	// maxPhones bounds the numbers of a text that are parsed, which is slow.
	maxPhones = 500
)

// phoneRegions are where a number without a country code may be from.
var phoneRegions = []string{"US", "GB", "DE", "FR", "IL", "IN", "CA", "BR", "ES", "IT", "MX", "AU", "JP", "CN"}

func findPhones(s *scan, yield func(match) bool) {
	parsed := 0
	for i := 0; i < len(s.tokens) && parsed < maxPhones; i++ {
		if skip := s.noPhone(i); skip > 0 {
			i += skip - 1
			continue
		}
		start, n := s.phone(i)
		if n == 0 {
			continue
		}
		// What nothing around it explains cannot reach the threshold.
		if s.text[start] != '+' && !s.isAreaCode(start, i) && (n == 1 || !isDialledAbroad(s.of(s.tokens[i]))) && validPhone < s.threshold-scoreNoise && !s.hasContext(start, s.tokens[i+n-1].end, phoneWords) {
			i += n - 1
			continue
		}
		for ; n > 0; n-- {
			end := s.tokens[i+n-1].end
			digits := s.digitsOf(i, n)
			if len(digits) < minPhoneDigits {
				break
			}
			if len(digits) > maxPhoneDigits {
				continue
			}
			parsed++
			score := phoneScore(s.text[start:end], digits, s.text[start] == '+', n)
			if score == validPhone && s.isAreaCode(start, i) {
				score = idnumber.Distinct
			}
			if score == 0 {
				continue
			}
			if !yield(match{start: start, end: end, score: score}) {
				return
			}
			i += n - 1
			break
		}
	}
}

// phone returns where a number that may be a phone's begins, at token i with the
// signs before it, and of how many tokens it is at most; 0 if none.
func (s *scan) phone(i int) (start, n int) {
	start = s.tokens[i].start
	for start > 0 && (s.text[start-1] == '(' || s.text[start-1] == '+') {
		start--
	}
	if !s.tokens[i].number(s.tokens[i].digits) || s.wordBefore(start) {
		return 0, 0
	}
	n = 1
	digits := s.tokens[i].digits
	for i+n < len(s.tokens) && n < maxPhoneGroups {
		next := s.tokens[i+n]
		between := s.text[s.tokens[i+n-1].end:next.start]
		if !next.number(next.digits) || !joinsPhone(between) || digits+next.digits > maxPhoneDigits || s.noPhone(i+n) > 0 {
			break
		}
		digits += next.digits
		n++
	}
	if digits < minPhoneDigits {
		return 0, 0
	}
	return start, n
}

// noPhone returns the number of tokens from i on that are a date or an address
// of a network, 0 if they are neither.
func (s *scan) noPhone(i int) int {
	switch {
	case s.numbers(i, "-./", 4, 2, 2), s.numbers(i, "-./", 2, 2, 4):
		return 3
	case s.gap(i) != '.' && s.gap(i+1) == '.' && s.gap(i+2) == '.' && s.gap(i+3) == '.' && s.gap(i+4) != '.' && s.tokens[i].digits <= 3 && s.tokens[i+3].digits <= 3:
		return 4
	default:
		return 0
	}
}

// isAreaCode reports whether a number is written like (415) 555-0132, which is
// hardly anything else.
func (s *scan) isAreaCode(start, i int) bool {
	return s.text[start] == '(' && i+2 < len(s.tokens) && s.tokens[i].number(3) && s.tokens[i+1].number(3) && s.tokens[i+2].number(4) &&
		strings.HasPrefix(s.text[s.tokens[i].end:], ")") && s.gap(i+2) == '-'
}

// joinsPhone reports whether signs stand between groups of a number.
func joinsPhone(between string) bool {
	switch between {
	case " / ", " - ", " – ":
		return true
	}
	return len(between) <= 2 && strings.Trim(between, " -./()") == ""
}

// abroad are the digits that are dialled before the code of a country.
var abroad = [...]string{"00", "011"}

// isDialledAbroad reports whether the first group of a number begins like one
// that is dialled from another country: 0049 and 00 49 do, and 011 44.
func isDialledAbroad(group string) bool {
	return len(group) <= 6 && strings.HasPrefix(group, abroad[0]) || group == abroad[1]
}

// isValidAbroad reports whether digits are a number as it is dialled from another country.
func isValidAbroad(digits string) bool {
	return slices.ContainsFunc(abroad[:], func(prefix string) bool {
		rest, ok := strings.CutPrefix(digits, prefix)
		if !ok {
			return false
		}
		number, err := phonenumbers.Parse("+"+rest, "")
		return err == nil && phonenumbers.IsValidNumber(number)
	})
}

// phoneScore returns how sure it is that a text of several groups of digits is
// a number.
func phoneScore(text, digits string, international bool, groups int) float64 {
	if !international && groups > 1 && isValidAbroad(digits) {
		return countryPhone
	}
	score := 0.0
	for _, region := range phoneRegions {
		number, err := phonenumbers.Parse(text, region)
		if err != nil {
			continue
		}
		switch {
		case !phonenumbers.IsValidNumber(number):
		case international:
			return countryPhone
		case groups > 1 || len(digits) >= minBarePhone:
			return validPhone
		}
		if score == 0 && phonenumbers.IsPossibleNumber(number) {
			score = possiblePhone
			if groups == 1 && !international {
				score = barePhone
			}
		}
		if international {
			break
		}
	}
	return score
}
