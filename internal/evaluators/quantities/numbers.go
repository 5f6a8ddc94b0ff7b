// SPDX-License-Identifier: Apache-2.0

package quantities

import (
	"strconv"
	"strings"
	"sync"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
)

// small are the numbers below a hundred that have a word.
var small = map[string]float64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	"thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

// large are words that others before them are multiplied by.
var large = map[string]float64{"dozen": 12, "hundred": 100, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}

// ordinalWords are by the number that they are of, and ordinals these numbers.
var (
	ordinalWords = strings.Fields("- first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")
	ordinals     = func() map[string]int {
		of := map[string]int{}
		for n, word := range ordinalWords {
			if n > 0 {
				of[word] = n
			}
		}
		return of
	}()
)

var (
	months     = lexical.SetOf("january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec")
	currencies = lexical.SetOf("euro euros dollar dollars pound pounds cent cents pence yen francs usd eur gbp")
)

// begins are the stems of words that quantities begin with, besides digits.
var begins = sync.OnceValue(func() map[string]bool {
	stems := map[string]bool{}
	for _, word := range strings.Fields("a an half quarter noon midday midnight minus") {
		stems[lexical.Stem(word)] = true
	}
	for word := range small {
		stems[lexical.Stem(word)] = true
	}
	for word := range ordinals {
		stems[lexical.Stem(word)] = true
	}
	return stems
})

// value reads a number where the reader is: its value, of how many words it is, none if there
// is no number, and whether it is in digits.
func (r *reader) value() (value float64, n int, exact bool) {
	first := r.word(0)
	switch {
	case first == minus && r.word(1) != "" && r.word(1) != minus:
		r.at++
		value, n, exact = r.value()
		r.at--
		if n > 0 {
			return -value, n + 1, exact
		}
		return 0, 0, false
	case first == "half" && (r.word(1) == "a" || r.word(1) == "an") && large[r.word(2)] > 0:
		return large[r.word(2)] / 2, 3, false
	case (first == "a" || first == "an") && large[r.word(1)] > 0:
		value, n = r.times(1, 1)
		return value, n, false
	}
	if value, n = r.digits(); n > 0 {
		value, n = r.times(r.andAHalf(value, n))
		return value, n, true
	}
	value, n = r.spelled()
	return value, n, false
}

// times multiplies a number of n words by the large words behind it.
func (r *reader) times(value float64, n int) (float64, int) {
	for n < mostWords && large[r.word(n)] > 0 {
		value *= large[r.word(n)]
		n++
	}
	return value, n
}

// andAHalf adds the half that is behind a number of n words.
func (r *reader) andAHalf(value float64, n int) (float64, int) {
	if r.word(n) == "and" && r.word(n+1) == "a" && r.word(n+2) == "half" {
		return value + 0.5, n + 3
	}
	return value, n
}

// mostWords is from how many words on a number ends.
const mostWords = 16

// mostGroups is how many groups of three digits a number has at most.
const mostGroups = 5

// digits reads a number in digits, whose thousands may be apart.
func (r *reader) digits() (float64, int) {
	first := r.word(0)
	if first == "" || first[0] < '0' || first[0] > '9' {
		return 0, 0
	}
	n, all := 1, grouped(first)
	if len(first) <= 3 && first[0] != '0' && isDigits(first) {
		for n < mostGroups && len(r.word(n)) == 3 && isDigits(r.word(n)) {
			n++
		}
		// "In 12 300 euros were spent" is rarer than 12 300 euros.
		for i := 1; i < n; i++ {
			all += r.word(i)
		}
	}
	value, err := strconv.ParseFloat(all, 64)
	if err != nil || strings.ContainsAny(all, "eExXpP_infINF") || len(all) > 15 {
		return 0, 0
	}
	return value, n
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// grouped returns a number without the separators of its thousands: those between groups of
// three digits. A single point is that of decimals.
func grouped(number string) string {
	for _, separator := range []string{",", "'", "’", "."} {
		groups := strings.Split(number, separator)
		if len(groups) == 1 || separator == "." && len(groups) == 2 {
			continue
		}
		last, decimals, _ := strings.Cut(groups[len(groups)-1], ".")
		whole := isDigits(groups[0]) && len(groups[0]) <= 3 && len(last) == 3 && isDigits(last)
		for _, g := range groups[1 : len(groups)-1] {
			whole = whole && len(g) == 3 && isDigits(g)
		}
		if whole && (decimals == "" || isDigits(decimals)) {
			return strings.ReplaceAll(number, separator, "")
		}
	}
	return number
}

// spelled reads a number in words.
func (r *reader) spelled() (float64, int) {
	total, current, n := 0.0, 0.0, 0
	for room := 100.0; ; {
		word := r.word(n)
		next, isSmall := small[word]
		by := large[word]
		switch {
		case n >= mostWords:
			return total + current, n
		case n > 0 && word == "and" && room == 100 && small[r.word(n+1)] > 0:
			n++
			continue
		case isSmall && next < room && (next > 0 || n == 0):
			current, n = current+next, n+1
			// Behind twenty there is room for one to nine, behind a hundred for ninety-nine.
			if room = 0; next >= 20 {
				room = 10
			}
		case by == 100 && n > 0 && current > 0 && current < 100:
			current, n, room = current*by, n+1, 100
		case by > 0 && by != 100 && n > 0 && current > 0:
			total, current, n, room = total+current*by, 0, n+1, 100
		case n > 0 && current > 0 && r.word(n) == "and" && r.word(n+1) == "a" && r.word(n+2) == "half":
			return r.times(r.andAHalf(total+current, n))
		default:
			return total + current, n
		}
	}
}
