// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"strings"
	"unicode/utf8"
)

// words are those that tell what a match is.
type words struct {
	// known are in lower case; false is one that tells it only as a word of its
	// own: a client has an address, client_version none.
	known map[string]bool
	// inside are of scripts without spaces, which are looked for inside tokens.
	inside []string
	// also, if there is one, knows more of what is near text[start:end].
	also func(s *scan, start, end int) bool
}

// newWords reads words with spaces between them; those behind a "|" tell it
// only as words of their own.
func newWords(list string) *words {
	made := &words{known: map[string]bool{}}
	strong, weak, _ := strings.Cut(list, "|")
	for word := range strings.FieldsSeq(strong) {
		made.known[word] = true
		if r, _ := utf8.DecodeRuneInString(word); unspaced(r) {
			made.inside = append(made.inside, word)
		}
	}
	for word := range strings.FieldsSeq(weak) {
		made.known[word] = false
	}
	return made
}

// has reports whether a token is one of the words, or a key that is made of
// them. Whole words are compared: "lic" is not in "public". A plural is its
// singular.
func (w *words) has(s *scan, i int) bool {
	low := s.lowerToken(i)
	if _, ok := w.known[low]; ok {
		return true
	}
	if _, ok := w.known[singular(low)]; ok {
		return true
	}
	if len(w.inside) > 0 {
		if first, _ := utf8.DecodeRuneInString(low); unspaced(first) {
			for _, word := range w.inside {
				if strings.Contains(low, word) {
					return true
				}
			}
		}
	}
	if !s.tokens[i].compound() {
		return false
	}
	parts := keyParts(s.of(s.tokens[i]))
	if w.known[strings.Join(parts, "")] {
		return true
	}
	if len(parts) > 1 && otherHeads[parts[len(parts)-1]] {
		return false
	}
	for _, part := range parts {
		if w.known[part] || w.known[singular(part)] {
			return true
		}
	}
	return false
}

func singular(word string) string { return strings.TrimSuffix(word, "s") }

// otherHeads end keys whose value is not what the words before them name:
// zip_file, phone_model, ip_count.
var otherHeads = set("count counts size length len type kind status state model version ratio rate limit total sum index idx port file files path url uri time timestamp ms seconds duration " +
	"hash token key enabled valid verified present format prefix offset field fields column label flag regex pattern mask hint error errors ratio app plan policy provider template id ids uuid")

// keyParts splits a key such as user_ssn, dateOfBirth or IPAddress2 into its
// words, in lower case.
func keyParts(key string) []string {
	var parts []string
	start := 0
	cut := func(end int) {
		if end > start {
			parts = append(parts, strings.ToLower(key[start:end]))
		}
		start = end
	}
	for i := range len(key) {
		c := key[i]
		switch {
		case c == '_':
			cut(i)
			start = i + 1
		case i == start:
		case isUpper(c) && (!isUpper(key[i-1]) || i+1 < len(key) && isLower(key[i+1])), isDigit(c) != isDigit(key[i-1]):
			cut(i)
		}
	}
	cut(len(key))
	return parts
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

func isLower(c byte) bool { return c >= 'a' && c <= 'z' || c >= utf8.RuneSelf }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// maxLabel is how many words a label has at most.
const maxLabel = 5

// numberWords stand between what a number is and the number itself.
var numberWords = set("number numbers no nr num nbr id code n nummer numero numéro número numer")

// copulas stand between a label and its value.
var copulas = set("is was are s ist lautet war est es è é era her his the")

// label returns the words right before token i, the nearest first, without
// those that join them to it, and whether one of them is a word for a number.
func (s *scan) label(i int) (parts []string, number bool) {
	for k := i - 1; k >= 0 && k >= i-maxLabel && len(parts) < maxLabel; k-- {
		if between := s.text[s.tokens[k].end:s.tokens[k+1].start]; len(between) > maxLabelSigns || strings.ContainsAny(between, "\n,;!?)") {
			break
		}
		low := s.lowerToken(k)
		if len(parts) == 0 && copulas[low] {
			continue
		}
		of := []string{low}
		if s.tokens[k].compound() {
			of = keyParts(s.of(s.tokens[k]))
		}
		for n := len(of) - 1; n >= 0; n-- {
			if len(parts) == 0 && numberWords[of[n]] {
				number = number || of[n] != "id" && of[n] != "code" // an account_id is none of a bank
				continue
			}
			parts = append(parts, of[n])
		}
	}
	return parts, number
}

// maxLabelSigns is how many bytes are between a label and its value at most.
const maxLabelSigns = 6

// isLabelled reports whether what stands right before token i names it: the
// labels are words without the spaces and signs between them. One with a "#"
// behind it needs a word for a number besides.
func (s *scan) isLabelled(i int, labels map[string]bool) bool {
	parts, number := s.label(i)
	joined := ""
	for _, part := range parts {
		joined = part + joined
		if labels[joined] || number && labels[joined+"#"] {
			return true
		}
	}
	return false
}
