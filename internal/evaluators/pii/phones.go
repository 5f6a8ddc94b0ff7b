// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"strings"

	"github.com/nyaruka/phonenumbers"
)

const (
	// countryPhone is the score of a valid number with the code of its country.
	countryPhone  = 0.85
	validPhone    = 0.75
	possiblePhone = 0.5

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
		if s.text[start] != '+' && validPhone < s.threshold-scoreNoise && !s.hasContext(start, s.tokens[i+n-1].end, phoneWords) {
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
			score := phoneScore(s.text[start:end], s.text[start] == '+')
			if score == 0 {
				continue
			}
			if !yield(match{start, end, score}) {
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
		if !next.number(next.digits) || len(between) > 2 || strings.Trim(between, " -./()") != "" || digits+next.digits > maxPhoneDigits || s.noPhone(i+n) > 0 {
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
	case s.gap(i+1) == '.' && s.gap(i+2) == '.' && s.gap(i+3) == '.' && s.tokens[i].digits <= 3 && s.tokens[i+3].digits <= 3:
		return 4
	default:
		return 0
	}
}

func phoneScore(text string, international bool) float64 {
	score := 0.0
	for _, region := range phoneRegions {
		number, err := phonenumbers.Parse(text, region)
		if err != nil {
			continue
		}
		if phonenumbers.IsValidNumber(number) {
			if international {
				return countryPhone
			}
			return validPhone
		}
		if phonenumbers.IsPossibleNumber(number) {
			score = possiblePhone
		}
		if international {
			break
		}
	}
	return score
}
