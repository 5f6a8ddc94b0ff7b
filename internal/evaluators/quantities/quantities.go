// SPDX-License-Identifier: Apache-2.0

// Package quantities reads the words of texts so that one quantity has one stem, however
// it is written: 12 and twelve, 1.5 million and 1,500,000, 9:00 and nine in the morning,
// 50 % and half, 1945-09-02 and September 2, 1945, 5 km and 5,000 metres.
package quantities

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
)

// Words returns the words of a text that others are compared with. What says when of the
// day an hour is stays next to it.
func Words(text string) []lexical.Word { return read(text, nil, true) }

// Matched returns the same words, quantities as other texts have them that may, of which
// known tells whether they have a stem: 5,000 metres may be 5 km there.
func Matched(text string, known func(stem string) bool) []lexical.Word {
	return read(text, known, true)
}

// Claimed returns the words of a text that is compared with others, of which known tells
// whether they have a stem: 9:00 may be one in the evening, where they have none in the
// morning.
func Claimed(text string, known func(stem string) bool) []lexical.Word {
	return read(text, known, false)
}

func read(text string, known func(stem string) bool, parts bool) []lexical.Word {
	text = signsSpelled(text)
	// A word of English and the blank behind it have six letters.
	words := slices.AppendSeq(make([]lexical.Word, 0, len(text)/6+1), lexical.EachWord(text))
	r := reader{words: words, read: words[:0], known: known, parts: parts}
	for r.at < len(r.words) {
		if w := r.words[r.at]; !mayBegin(w) || !r.hour() && !r.ordinal() && !r.number() {
			r.read = append(r.read, w)
			r.last = w.Text
			r.at++
		}
	}
	return r.read
}

// mayBegin reports whether a quantity may begin with a word, which few do.
func mayBegin(w lexical.Word) bool {
	return w.Text[0] >= '0' && w.Text[0] <= '9' || begins()[w.Stem]
}

// reader goes through the words of a text.
type reader struct {
	words []lexical.Word
	at    int
	// read are the words as they come out. They take the place of words before at, since a
	// quantity never comes out as more words than it is of.
	read  []lexical.Word
	last  string // the text of the word before
	known func(stem string) bool
	parts bool // what says when of the day an hour is stays
}

// word returns the nth word from where the reader is, in lower case; it is empty behind the
// end and, but for the first, behind the end of the sentence.
func (r *reader) word(n int) string {
	if r.at+n >= len(r.words) {
		return ""
	}
	for i := 1; i <= n; i++ {
		if r.words[r.at+i].First {
			return ""
		}
	}
	return strings.ToLower(r.words[r.at+n].Text)
}

// before returns the word before, in lower case.
func (r *reader) before() string {
	if r.words[r.at].First {
		return ""
	}
	return strings.ToLower(r.last)
}

// put adds a quantity that n words tell by the first of its stems that the other texts
// have, or its first one.
func (r *reader) put(text string, n int, stems ...string) {
	stem := stems[0]
	for _, s := range stems {
		if r.known != nil && r.known(s) {
			stem = s
			break
		}
	}
	r.read = append(r.read, lexical.Word{Text: text, Stem: stem, First: r.words[r.at].First})
	r.at += n
	r.last = text
}

// number reads a number, and what it makes with the words behind it: a time of the
// day, or a share.
func (r *reader) number() bool {
	value, n, exact := r.value()
	if n == 0 {
		return false
	}
	if value == math.Trunc(value) && value >= 1 && value <= 12 {
		if half, said := r.partOfDay(n); said > 0 {
			r.time(int(value), 0, half, n, said)
			return true
		}
	}
	if r.word(0) == minus {
		r.put(format(-value)+negative, n, format(-value)+negative)
		return true
	}
	written, next := r.words[r.at].Text, r.word(n)
	if n == 1 && r.word(0) == "one" && next != "percent" && !currencies[next] {
		return false // It is as often no number: one of them.
	}
	stem := format(value)
	if n == 1 && exact && next != "percent" && !currencies[next] {
		stem = whole(grouped(written)) // A version 3.10 is not 3.1.
	}
	if exact || n > 1 && r.word(0) != "a" && r.word(0) != "an" && r.word(0) != "half" {
		written = stem
	}
	if r.converted(value, n, stem) {
		return true
	}
	stems := []string{stem}
	switch {
	case next == "percent" && value == 50:
		r.put(written, n+1, "half", "50")
		return true
	case value == 1:
		stems = append(stems, "one")
	case hourly[r.before()] && value == math.Trunc(value) && value > 1 && value <= 12:
		stems = append(stems, clock(int(value)%24, 0), clock((int(value)+12)%24, 0))
	}
	r.put(written, n, stems...)
	return true
}

// The word for a number below zero, and what its stem ends in: it begins with a digit as
// those of all numbers do.
const (
	minus    = "minus"
	negative = "-"
)

// whole returns a number without decimals that are all zero.
func whole(number string) string {
	if n, decimals, found := strings.Cut(number, "."); found && decimals != "" && strings.Trim(decimals, "0") == "" {
		return n
	}
	return number
}

// format writes a number without a separator.
func format(value float64) string {
	return strconv.FormatFloat(math.Round(value*1e6)/1e6, 'f', -1, 64)
}

// ordinal reads the day of a month, and 3rd as third.
func (r *reader) ordinal() bool {
	word := r.word(0)
	place := ordinals[word]
	digits := strings.TrimRight(word, "stndrh")
	if n, err := strconv.Atoi(digits); err == nil && digits != word && len(word) == len(digits)+2 && n > 0 {
		place = n
	}
	if place == 0 {
		return false
	}
	if months[r.before()] || months[r.word(1)] || r.word(1) == "of" && months[r.word(2)] {
		r.put(strconv.Itoa(place), 1, strconv.Itoa(place))
		return true
	}
	if ordinals[word] != 0 || place >= len(ordinalWords) {
		return false
	}
	r.put(word, 1, lexical.Stem(ordinalWords[place]))
	return true
}
