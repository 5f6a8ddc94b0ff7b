// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"encoding/hex"
	"iter"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
)

// Bounds of what is decoded.
const (
	// mostEncoded is how much of a text is looked at.
	mostEncoded = 64 << 10
	// fewestPairs is how many pairs of hexadecimal digits are decoded at least.
	fewestPairs = 12
	// fewestDecoded is how many usual words of English what is decoded has at least.
	fewestDecoded = 3
	// fewestLetters is how many letters these have, which by chance they have not.
	fewestLetters = 16
	// shortestWord and longestWord are of words that are looked up, in letters.
	shortestWord, longestWord = 3, 24
)

// Decoded returns what a text says in hexadecimal, in ROT13 and in reversed letters, as far
// as that reads as English and what stands there does not. Surprise is as in NonsenseSuffix.
func Decoded(text string, surprise func(text string) float64) []string {
	text = text[:min(len(text), mostEncoded)]
	said := decodedHex(text)
	rot13, back := wordRuns{cipher: rotated, text: text}, wordRuns{cipher: reversed, text: text}
	read := func(word [2]int) (more bool) {
		plain := usual(text[word[0]:word[1]], open)
		rot13.add(word[0], word[1], plain)
		back.add(word[0], word[1], plain)
		return !plain || rot13.hits > 0 || back.hits > 0
	}
	// Plain text has usual words throughout: of it one word in passed+1 is read.
	var skipped [passed][2]int
	n, reading := 0, false
	for word := range words(text) {
		switch {
		case reading:
			reading = read(word)
		case n < passed:
			skipped[n] = word
			n++
		case usual(text[word[0]:word[1]], open):
			n = 0
		default:
			for _, before := range skipped {
				read(before)
			}
			n, reading = 0, read(word)
		}
	}
	for _, before := range skipped[:n] {
		read(before)
	}
	rot13.end()
	back.end()
	if len(rot13.found) > 0 {
		said = append(said, rot13.decoded())
	}
	if len(back.found) > 0 {
		// Each word was turned around, or the text as a whole: one of them reads better.
		turned := back.decoded()
		if whole := backwards(turned); surprise(head(whole)) < surprise(head(turned)) {
			turned = whole
		}
		said = append(said, turned)
	}
	return said
}

// head returns as much of what is decoded as tells how it reads.
func head(text string) string { return text[:min(len(text), 2<<10)] }

// passed is how many words of plain text are passed over before one is read.
const passed = 2

// words hands over where the words of a text are that are looked up.
func words(text string) iter.Seq[[2]int] {
	return func(yield func([2]int) bool) {
		for i := 0; i < len(text); {
			if !isASCIILetter(text[i]) {
				i++
				continue
			}
			end := i
			for end < len(text) && isASCIILetter(text[end]) {
				end++
			}
			if n := end - i; n >= shortestWord && n <= longestWord && !yield([2]int{i, end}) {
				return
			}
			i = end
		}
	}
}

// wordRuns are the runs of words of a text that decode to usual words.
type wordRuns struct {
	cipher     cipher
	text       string
	found      [][2]int
	start, to  int
	hits, miss int
	letters    int // of the words that are hits
}

// add goes on with the word between two places, plain if it is a usual word as it stands.
func (r *wordRuns) add(start, end int, plain bool) {
	switch {
	case plain && r.hits == 0: // A run begins with a word that is none as it stands.
	case usual(r.text[start:end], r.cipher):
		if r.hits == 0 {
			r.start = start
		}
		r.hits, r.letters, r.to = r.hits+1, r.letters+end-start, end
	case plain:
		r.end()
	case r.hits > 0:
		if r.miss++; r.miss > 1+r.hits/3 {
			r.end()
		}
	}
}

// end ends a run, and keeps it if it has enough words.
func (r *wordRuns) end() {
	if r.hits >= fewestDecoded && r.letters >= fewestLetters {
		r.found = append(r.found, [2]int{r.start, r.to})
	}
	r.hits, r.miss, r.letters = 0, 0, 0
}

// decoded returns the runs with each word decoded.
func (r *wordRuns) decoded() string {
	var b strings.Builder
	for _, run := range r.found {
		piece := []byte(r.text[run[0]:run[1]])
		for i := 0; i < len(piece); {
			end := i
			for end < len(piece) && isASCIILetter(piece[end]) {
				end++
			}
			r.cipher.decode(piece[i:end])
			i = max(end, i+1)
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.Write(piece)
	}
	return b.String()
}

// usual reports whether a word is a usual one of English once it is decoded.
func usual(word string, by cipher) bool {
	var letters [longestWord]byte
	low := letters[:copy(letters[:], word)]
	for i := range low {
		low[i] |= 0x20
	}
	by.decode(low)
	return lexical.Usual(string(low))
}

// cipher is how a word is written.
type cipher int

const (
	open cipher = iota
	rotated
	reversed
)

// decode writes a word plainly in its place.
func (c cipher) decode(word []byte) {
	switch c {
	case open:
	case rotated:
		rotate(word)
	case reversed:
		slices.Reverse(word)
	}
}

// rotate writes each letter as the one thirteen places on in the alphabet.
func rotate(word []byte) {
	for i, c := range word {
		if isASCIILetter(c) {
			base := c&0x20 | 'A'
			word[i] = base + (c-base+13)%26
		}
	}
}

// backwards returns the words of a text from the last to the first.
func backwards(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		words := strings.Fields(line)
		slices.Reverse(words)
		lines = append(lines, strings.Join(words, " "))
	}
	return strings.Join(lines, "\n")
}

// decodedHex returns what a text says in pairs of hexadecimal digits, with nothing, a
// separator or a mark of the notation between each two.
func decodedHex(text string) (said []string) {
	for i := 0; i+2*fewestPairs <= len(text); {
		if !isHex(text[i]) || i > 0 && isASCIILetter(text[i-1]) && text[i-1]|0x20 != 'x' {
			i++
			continue
		}
		bytes, end := hexPairs(text, i)
		if len(bytes) >= fewestPairs && isProse(bytes) {
			said = append(said, string(bytes))
		}
		i = max(end, i+1)
	}
	return said
}

// hexPairs returns the characters of which pairs of hexadecimal digits are the code, from a
// place on, and where they end.
func hexPairs(text string, at int) (bytes []byte, end int) {
	for at+1 < len(text) && isHex(text[at]) && isHex(text[at+1]) {
		var code [1]byte
		_, err := hex.Decode(code[:], []byte(text[at:at+2]))
		if c := code[0]; err != nil || (c < ' ' || c > '~') && c != '\n' && c != '\t' && c != '\r' {
			return bytes, at + 2
		}
		bytes = append(bytes, code[0])
		at += 2
		for n := 0; n < 2 && at < len(text) && strings.IndexByte(" ,:-\n", text[at]) >= 0; n++ {
			at++
		}
		if at+1 < len(text) && (text[at] == '0' || text[at] == '\\') && text[at+1] == 'x' {
			at += 2
		}
	}
	return bytes, at
}

// isProse reports whether a text has enough usual words of English, which are most.
func isProse(text []byte) bool {
	all, known := 0, 0
	for word := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return r >= 0x80 || !isASCIILetter(byte(r)) }) {
		if n := len(word); n >= shortestWord && n <= longestWord {
			all++
			if usual(word, open) {
				known++
			}
		}
	}
	return known >= fewestDecoded && 2*known > all
}

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }
