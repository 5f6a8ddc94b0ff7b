// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"math/bits"
	"strings"
	"unicode/utf8"
)

// What searches for words that unlock a model find is no language: they are put
// behind a plain request, one line of words, brackets and quotes that belong to
// nothing (Zou et al. 2023, https://arxiv.org/abs/2307.15043).
const (
	// nonsenseRequest and nonsenseTail are the bytes at the beginning and at the end of a
	// text that are compared.
	nonsenseRequest, nonsenseTail = 60, 90
	// shortestNonsense is the length of a text that has room for a request and nonsense.
	shortestNonsense = 100
	// nonsenseMarks is the number of kinds of marks that nonsense has, nonsenseWords that
	// of its words of three letters and more, and nonsenseFaults that of its brackets and
	// quotes without a partner and of its joined words.
	nonsenseMarks, nonsenseWords, nonsenseFaults = 3, 6, 2
	// nonsenseQuotes is the number of double quotes from which a text is taken for data.
	nonsenseQuotes = 4
	// longestAddress is the length up to which an address is not taken for nonsense.
	longestAddress = 250
	// plainRequest is the surprise of a letter up to which the beginning is plain English,
	// and nonsenseRise how much more surprising the end is.
	plainRequest, nonsenseRise = 2.2, 0.8
)

// NonsenseSuffix reports whether a plain English request ends in nonsense. Surprise says how
// surprising a letter of a text is in the mean, in nats, to who knows English.
func NonsenseSuffix(text string, surprise func(text string) float64) bool {
	text = strings.TrimSpace(text)
	if len(text) < shortestNonsense {
		return false
	}
	tail := runesFrom(text, len(text)-nonsenseTail)
	if strings.ContainsAny(tail, "\n\r") || !jumbled(tail) {
		return false
	}
	// A long address may begin before the tail.
	if end := text[max(0, len(text)-longestAddress):]; strings.Contains(end, "://") || strings.Contains(end, "www.") {
		return false
	}
	// The last letters alone: the request may reach into the tail.
	end := surprise(runesFrom(text, len(text)-nonsenseRequest))
	head := surprise(text[:len(text)-len(runesFrom(text, nonsenseRequest))])
	return head <= plainRequest && end-head >= nonsenseRise
}

// runesFrom returns a text from the first character at or behind a byte.
func runesFrom(text string, at int) string {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return text[at:]
}

// partners are the brackets that belong together.
var partners = map[rune]rune{')': '(', ']': '[', '}': '{'}

// jumbleMarks are the marks of nonsense: a sentence has few of them.
const jumbleMarks = "()[]{}<>|\\`~^*=+$%;_/!?:"

// jumbled reports whether a text has words among marks that belong to nothing.
func jumbled(text string) bool {
	kinds := uint32(0) // a bit for each mark
	var open []rune
	words, faults, letters, joints := 0, 0, 0, 0
	before := ' '
	for _, r := range text {
		switch {
		case isLatinLetter(r):
			if letters++; letters == 3 {
				words++
			}
			if before >= 'a' && before <= 'z' && r >= 'A' && r <= 'Z' {
				joints = 1
			}
		default:
			letters = 0
		}
		before = r
		kind := strings.IndexRune(jumbleMarks, r)
		if kind < 0 {
			continue
		}
		kinds |= 1 << kind
		switch r {
		case '(', '[', '{':
			open = append(open, r)
		case ')', ']', '}':
			if n := len(open); n > 0 && open[n-1] == partners[r] {
				open = open[:n-1]
			} else {
				faults++
			}
		}
	}
	quotes := strings.Count(text, `"`)
	faults += len(open) + quotes%2 + strings.Count(text, "`")%2 + joints
	return bits.OnesCount32(kinds) >= nonsenseMarks && words >= nonsenseWords && faults >= nonsenseFaults && quotes < nonsenseQuotes
}

func isLatinLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
