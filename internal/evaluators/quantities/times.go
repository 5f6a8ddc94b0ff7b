// SPDX-License-Identifier: Apache-2.0

package quantities

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
)

// signs are what is rewritten before words are split, which would leave
// it out or take it for the end of a sentence.
var signs = []struct {
	in    func(text string) bool // whether a text may have it
	find  *regexp.Regexp
	write string
}{
	{hasClock, regexp.MustCompile(`\b([01]?\d|2[0-4]):([0-5]\d)(?::[0-5]\d)?\b`), "${1}h$2"},
	{contains("%"), regexp.MustCompile(`(\d)[\s\x{a0}\x{202f}\x{2009}]?%`), "$1 percent "},
	{hasSum, regexp.MustCompile(`([€$£]\d+(?:\.\d+)?)[ \x{a0}]?[mM]n?\b`), "$1 million"},
	{hasSum, regexp.MustCompile(`([€$£]\d+(?:\.\d+)?)[ \x{a0}]?[bB]n?\b`), "$1 billion"},
	{hasSuffix, regexp.MustCompile(`(\d)[kK]\b`), "$1 thousand"},
	{hasSuffix, regexp.MustCompile(`(\d)(km|cm|mm|kg|mg|ml|cl)\b`), "$1 $2"},
	{contains("USD"), regexp.MustCompile(`(\d(?:[ \x{a0}](?:thousand|[mb]illion|trillion))?)[ \x{a0}]?USD\b`), "$1 dollars"},
	{contains("EUR"), regexp.MustCompile(`(\d(?:[ \x{a0}](?:thousand|[mb]illion|trillion))?)[ \x{a0}]?EUR\b`), "$1 euros"},
	{contains("GBP"), regexp.MustCompile(`(\d(?:[ \x{a0}](?:thousand|[mb]illion|trillion))?)[ \x{a0}]?GBP\b`), "$1 pounds"},
	{hasMinus, regexp.MustCompile(`(^|[^\d\s][ \t]+|[(=])[-−](\d)`), "${1}minus $2"},
	{contains("€"), sumBehind("€"), "$1 euros"},
	{contains("€"), regexp.MustCompile(`(\d)[\s\x{a0}\x{202f}]?€`), "$1 euros"},
	{contains("$"), sumBehind("$"), "$1 dollars"},
	{contains("£"), sumBehind("£"), "$1 pounds"},
	{hasHalf, regexp.MustCompile(`(?i)(\d)([ap]m)\b`), "$1 $2"},
	{hasHalf, regexp.MustCompile(`\b([apAP])\. ?[mM]\.(\s+[^\sA-Z]|[,;:)])`), "${1}m$2"},
	{hasHalf, regexp.MustCompile(`(?i)\b([ap])\. ?m\b`), "${1}m"},
	{contains("ty-"), regexp.MustCompile(`\b((?i:twen|thir|for|fif|six|seven|eigh|nine)ty)-(one|two|three|four|five|six|seven|eight|nine)\b`), "$1 $2"},
	{contains("er cent"), regexp.MustCompile(`\b[Pp]er cent\b`), "percent"},
}

// sumBehind returns an expression for a sum of money with its sign before it.
func sumBehind(sign string) *regexp.Regexp {
	return regexp.MustCompile(regexp.QuoteMeta(sign) + `[\s\x{a0}]?(\d+(?:[.,]\d+)*(?:[\s\x{a0}](?:thousand|million|billion|trillion)\b)?)`)
}

// signsSpelled returns a text with signs of times, shares and money as words.
func signsSpelled(text string) string {
	for _, s := range signs {
		if s.in(text) {
			text = s.find.ReplaceAllString(text, s.write)
		}
	}
	return datesSpelled(text)
}

// hasSum reports whether a text has a sign of money before a digit.
func hasSum(text string) bool {
	for _, sign := range [...]string{"$", "€", "£"} {
		if i := strings.Index(text, sign); i >= 0 && strings.ContainsAny(text[i:], "mMbB") {
			return true
		}
	}
	return false
}

// hasSuffix reports whether a text has a letter that thousands or units of measures begin
// with right behind a digit.
func hasSuffix(text string) bool {
	for i := 1; i < len(text); i++ {
		if isDigit(text[i-1]) && strings.IndexByte("kKcm", text[i]) >= 0 {
			return true
		}
	}
	return false
}

// hasMinus reports whether a text has what may be a minus before a digit.
func hasMinus(text string) bool {
	for i := 1; i < len(text); i++ {
		if isDigit(text[i]) && (text[i-1] == '-' || text[i-1] == "−"[2]) {
			return true
		}
	}
	return false
}

func contains(sign string) func(text string) bool {
	return func(text string) bool { return strings.Contains(text, sign) }
}

// hasClock reports whether a text has a colon behind a digit.
func hasClock(text string) bool {
	for i := 1; i < len(text); i++ {
		if text[i] == ':' && text[i-1] >= '0' && text[i-1] <= '9' {
			return true
		}
	}
	return false
}

// hasHalf reports whether a text has what may be a.m. or 9pm.
func hasHalf(text string) bool {
	for i := 2; i < len(text); i++ {
		if text[i]|' ' != 'm' {
			continue
		}
		switch before := text[i-1]; {
		case before == '.' || before == ' ' && text[i-2] == '.':
			return true
		case (before|' ' == 'a' || before|' ' == 'p') && text[i-2] >= '0' && text[i-2] <= '9':
			return true
		}
	}
	return false
}

// halfOfDay is which half of the day a time is in, where the text says so.
type halfOfDay int

const (
	either halfOfDay = iota
	morning
	later // afternoon, evening or night
)

// parts are what is said behind an hour of the half of the day that it is in.
var parts = map[string]halfOfDay{"morning": morning, "afternoon": later, "evening": later}

// hourly are words behind which a mere number may be an hour.
var hourly = lexical.SetOf("at from until till to by around before after and")

// partOfDay returns the half of the day that the text names behind an hour of n words, and of how
// many words it is.
func (r *reader) partOfDay(n int) (half halfOfDay, said int) {
	switch r.word(n) {
	case "am":
		return morning, 1
	case "pm":
		return later, 1
	case "o'clock", "o’clock":
		half, more := r.partOfDay(n + 1)
		return half, more + 1
	case "sharp":
		return either, 1
	case "in":
		if half = parts[r.word(n+2)]; half != either && r.word(n+1) == "the" {
			return half, 3
		}
	case "at":
		if r.word(n+1) == "night" {
			return later, 2
		}
	}
	return either, 0
}

var (
	clockTime = regexp.MustCompile(`^(\d\d?)h(\d\d)$`)
	quarters  = map[string]int{"half": 30, "quarter": 15}
)

// hour reads a time of the day that is no mere number: 9:00, half past nine, noon.
func (r *reader) hour() bool {
	word := r.word(0)
	switch word {
	case "noon", "midday":
		r.put(r.words[r.at].Text, 1, clock(12, 0))
		return true
	case "midnight":
		r.put(r.words[r.at].Text, 1, clock(0, 0))
		return true
	}
	if m := clockTime.FindStringSubmatch(word); m != nil {
		hours, _ := strconv.Atoi(m[1]) // they are digits
		minutes, _ := strconv.Atoi(m[2])
		half, said := r.partOfDay(1)
		r.time(hours, minutes, half, 1, said)
		return true
	}
	minutes, past := quarters[word], r.word(1) == "past"
	if minutes == 0 || !past && r.word(1) != "to" {
		return false
	}
	hours, known := small[r.word(2)]
	if !known {
		hours, _ = strconv.ParseFloat(r.word(2), 64) // what is no number is 0
	}
	if hours < 1 || hours > 12 {
		return false
	}
	if !past {
		hours, minutes = hours-1, 60-minutes
	}
	half, said := r.partOfDay(3)
	r.time(int(hours), minutes, half, 3, said)
	return true
}

// time puts a time of the day, given by n words and by said more for the half of the day.
func (r *reader) time(hours, minutes int, half halfOfDay, n, said int) {
	told := hours
	if half == morning && hours == 12 {
		hours = 0
	}
	if half == later && hours < 12 {
		hours += 12
	}
	stems := []string{clock(hours%24, minutes)}
	if half == either && hours < 12 {
		stems = append(stems, clock(hours+12, minutes))
	}
	if minutes == 0 {
		stems = append(stems, strconv.Itoa(told))
		if told > 12 {
			stems = append(stems, strconv.Itoa(told-12))
		}
	}
	more := r.words[r.at+n : r.at+n+said]
	r.put(stems[0], n+said, stems...)
	if r.parts {
		r.read = append(r.read, more...)
	}
}

// clock is the stem of a time of the day.
func clock(hours, minutes int) string { return fmt.Sprintf("%dh%02d", hours, minutes) }
