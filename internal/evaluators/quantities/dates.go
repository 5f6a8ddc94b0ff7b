// SPDX-License-Identifier: Apache-2.0

package quantities

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	isoDate   = regexp.MustCompile(`\b([12]\d{3})-(\d\d)-(\d\d)\b`)
	dotted    = regexp.MustCompile(`\b(\d{1,2})\. ?(\d{1,2})\. ?([12]\d{3})\b`)
	slashed   = regexp.MustCompile(`\b(\d{1,2})/(\d{1,2})/([12]\d{3})\b`)
	shortened = regexp.MustCompile(`\b(Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b(\.?[ \x{a0}]\d{1,4}\b)|` +
		`(\d(?:st|nd|rd|th)?[ \x{a0}])(Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b(\.[ \x{a0}][12]\d{3}\b)?`)
)

// shortMonths are the months by the first three letters of their names.
var shortMonths = func() map[string]string {
	of := map[string]string{}
	for m := time.January; m <= time.December; m++ {
		of[m.String()[:3]] = m.String()
	}
	return of
}()

// datesSpelled returns a text whose dates in digits, and months that are cut short, are
// written out. What may be of two dates, as 3/4/2020, stays.
func datesSpelled(text string) string {
	if hasDate(text) {
		text = isoDate.ReplaceAllStringFunc(text, func(date string) string { return dateSpelled(date, date[8:], date[5:7], date[:4]) })
		text = spelledIn(text, dotted, func(first, second int) (day, month int) { return first, second })
		text = spelledIn(text, slashed, func(first, second int) (day, month int) {
			switch {
			case first > 12 || first == second:
				return first, second
			case second > 12:
				return second, first
			}
			return 0, 0
		})
	}
	if !hasShortMonth(text) {
		return text
	}
	return shortened.ReplaceAllStringFunc(text, func(found string) string {
		m := shortened.FindStringSubmatch(found)
		return m[3] + shortMonths[(m[1] + m[4])[:3]] + strings.TrimPrefix(m[2], ".") + strings.TrimPrefix(m[5], ".")
	})
}

// spelledIn writes out the dates that an expression finds, whose first two numbers order
// makes a day and a month.
func spelledIn(text string, dates *regexp.Regexp, order func(first, second int) (day, month int)) string {
	return dates.ReplaceAllStringFunc(text, func(date string) string {
		m := dates.FindStringSubmatch(date)
		first, _ := strconv.Atoi(m[1]) // they are digits
		second, _ := strconv.Atoi(m[2])
		day, month := order(first, second)
		return dateSpelled(date, strconv.Itoa(day), strconv.Itoa(month), m[3])
	})
}

// dateSpelled writes a date out, or leaves what is none as it was written.
func dateSpelled(written, day, month, year string) string {
	d, _ := strconv.Atoi(day) // they are digits
	m, _ := strconv.Atoi(month)
	if d < 1 || d > 31 || m < 1 || m > 12 {
		return written
	}
	return strconv.Itoa(d) + " " + time.Month(m).String() + " " + year
}

// hasDate reports whether a text has a number before a sign behind a digit, as dates do.
func hasDate(text string) bool {
	for i := 1; i+2 < len(text); i++ {
		switch text[i] {
		case '-', '.', '/':
			if isDigit(text[i-1]) && (isDigit(text[i+1]) || text[i+1] == ' ' && isDigit(text[i+2])) {
				return true
			}
		}
	}
	return false
}

// hasShortMonth reports whether a text has three letters that a month begins with, and no
// further one or that of Sept.
func hasShortMonth(text string) bool {
	for i := 0; i+3 < len(text); i++ {
		if c := text[i]; c < 'A' || c > 'S' || shortMonths[text[i:i+3]] == "" {
			continue
		}
		switch text[i+3] {
		case ' ', '.', '\xc2', 't', ',', '\n':
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
