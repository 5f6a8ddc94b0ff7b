// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/pii/idnumber"
)

// cardNetworks are the first digits of payment cards and the lengths of the
// whole numbers.
var cardNetworks = []struct {
	from, to string // of one length
	lengths  string // as characters, 'A' + length
}{
	{"1", "1", lengths(15)}, // UATP, with JCB's 1800
	{"4", "4", lengths(13, 16, 19)},
	{"51", "55", lengths(16)},
	{"2221", "2720", lengths(16)},
	{"34", "34", lengths(15)},
	{"37", "37", lengths(15)},
	{"300", "305", lengths(14, 16)},
	{"36", "36", lengths(14, 15, 16, 17, 18, 19)},
	{"38", "39", lengths(14, 16)},
	{"35", "35", lengths(16, 17, 18, 19)},
	{"2131", "2131", lengths(15)},
	{"6011", "6011", lengths(16, 17, 18, 19)},
	{"644", "659", lengths(16, 17, 18, 19)},
	{"62", "62", lengths(16, 17, 18, 19)},
	{"50", "50", lengths(12, 13, 14, 15, 16, 17, 18, 19)},
	{"56", "58", lengths(12, 13, 14, 15, 16, 17, 18, 19)},
	{"60", "69", lengths(12, 13, 14, 15, 16, 17, 18, 19)},
}

func lengths(list ...int) string {
	var b strings.Builder
	for _, n := range list {
		b.WriteByte(byte('A' + n))
	}
	return b.String()
}

const (
	minCard = 12
	maxCard = 19
	// maxCardGroups is how many groups a card's number is written in.
	maxCardGroups = 5
)

func findCards(s *scan, yield func(match) bool) {
	for _, i := range s.numeric {
		t := s.tokens[i]
		for n, digits := 1, t.digits; n <= maxCardGroups; n++ {
			last := s.tokens[i+n-1]
			if !last.number(last.digits) || digits > maxCard {
				break
			}
			if digits >= minCard && isCard(s.digitsOf(i, n)) && !yield(s.span(i, n, cardScore(digits))) {
				return
			}
			if gap := s.gap(i + n); gap != ' ' && gap != '-' || gap != s.gap(i+1) {
				break
			}
			digits += s.tokens[i+n].digits
		}
	}
}

// cardScore is lower for the few cards of less than fourteen digits: many other
// numbers have so many.
func cardScore(digits int) float64 {
	if digits < 14 {
		return 0.6
	}
	return 1
}

func isCard(digits string) bool {
	for _, network := range cardNetworks {
		prefix := digits[:len(network.from)]
		if prefix >= network.from && prefix <= network.to && strings.IndexByte(network.lengths, byte('A'+len(digits))) >= 0 {
			return idnumber.Luhn(digits)
		}
	}
	return false
}

// ibanLengths are the lengths of account numbers by country.
var ibanLengths = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BI": 27, "BR": 29, "BY": 28,
	"CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
	"FK": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HN": 28, "HR": 21, "HU": 28,
	"IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20,
	"LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MN": 20, "MR": 27, "MT": 31, "MU": 30, "NI": 28,
	"NL": 18, "NO": 15, "OM": 23, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33, "SA": 24,
	"SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SO": 23, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26,
	"UA": 29, "VA": 22, "VG": 24, "XK": 20, "YE": 30,
}

func findIBANs(s *scan, yield func(match) bool) {
	for _, i := range s.numeric {
		t := s.tokens[i]
		if t.size() < 4 || t.digits < 2 {
			continue
		}
		want := ibanLengths[strings.ToUpper(s.text[t.start:t.start+2])]
		if want == 0 {
			continue
		}
		size := t.size()
		n := 1
		for size < want && (s.gap(i+n) == ' ' || s.gap(i+n) == '-') {
			size += s.tokens[i+n].size()
			n++
		}
		if size == want && isIBAN(strings.ToUpper(s.digitsOf(i, n))) && !yield(s.span(i, n, 1)) {
			return
		}
	}
}

// isIBAN checks a number with its first four characters moved to the end and
// letters read as 10 to 35: it leaves 1 when divided by 97.
func isIBAN(text string) bool {
	rest := 0
	for i := range text {
		switch c := text[(i+4)%len(text)]; {
		case c >= '0' && c <= '9':
			rest = (rest*10 + int(c-'0')) % 97
		case c >= 'A' && c <= 'Z':
			rest = (rest*100 + int(c-'A') + 10) % 97
		default:
			return false
		}
	}
	return rest == 1 && text[2] <= '9' && text[3] <= '9'
}
