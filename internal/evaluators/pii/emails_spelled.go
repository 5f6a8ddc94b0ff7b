// SPDX-License-Identifier: Apache-2.0

package pii

import "strings"

const (
	// spelledEmail is the score of an address whose signs are words.
	spelledEmail = 0.9
	// maxSpelled is how many words a spelled address has on a side at most.
	maxSpelled = 8
)

var (
	atWords  = set("at arroba")
	dotWords = set("dot punkt punto point ponto")
	// mailWords speak of an address that is spelled with the word "at" alone.
	mailWords = newWords("email mail gmail correo courriel posta write reach contact")
)

// spelling says how a word stands for a sign.
type spelling int

const (
	noSign    spelling = iota
	plainWord          // jane at example
	loudWord           // jane AT example
	bracketed          // jane (at) example
)

// findSpelledEmails finds jane [at] example [dot] com, jane AT example DOT com
// and, where a word speaks of mail, jane dot doe at example dot com.
func findSpelledEmails(s *scan, yield func(match) bool) bool {
	for i, t := range s.tokens {
		if t.size() != 2 && t.size() != 6 || s.text[t.start]|0x20 != 'a' {
			continue
		}
		at := s.spelledAs(i, atWords)
		if at == noSign {
			continue
		}
		first, dots := s.spelledLocal(i - 1)
		last, said := s.spelledDomain(i + 1)
		switch {
		case last < 0:
		case at == bracketed, at == loudWord && said == loudWord, at == plainWord && (dots || said == noSign && first < i-1) && s.hasContext(s.tokens[first].start, s.tokens[last].end, mailWords):
			if !yield(s.span(first, last-first+1, spelledEmail)) {
				return false
			}
		}
	}
	return true
}

// spelledAs reports how token i stands for one of the signs that words name.
func (s *scan) spelledAs(i int, words map[string]bool) spelling {
	if i <= 0 || i+1 >= len(s.tokens) || !words[s.lowerToken(i)] {
		return noSign
	}
	before := strings.Trim(s.text[s.tokens[i-1].end:s.tokens[i].start], " ")
	behind := strings.Trim(s.text[s.tokens[i].end:s.tokens[i+1].start], " ")
	switch before + behind {
	case "()", "[]", "{}", "<>":
		return bracketed
	case "":
		if word := s.of(s.tokens[i]); word == strings.ToUpper(word) {
			return loudWord
		}
		return plainWord
	}
	return noSign
}

// spelledLocal returns the first token of the part before "at" that ends with
// token i, and whether a full stop in it is a word.
func (s *scan) spelledLocal(i int) (first int, dots bool) {
	for first = i; first > 0 && first > i-maxSpelled; {
		switch gap := s.text[s.tokens[first-1].end:s.tokens[first].start]; {
		case gap == "." || gap == "-" || gap == "+":
			first--
		case first > 1 && s.spelledAs(first-1, dotWords) != noSign:
			first -= 2
			dots = true
		default:
			return first, dots
		}
	}
	return first, dots
}

// spelledDomain returns the last token of a domain that begins with token i, -1
// if there is none, and how its full stops are spelled.
func (s *scan) spelledDomain(i int) (last int, said spelling) {
	last = -1
	domain := s.of(s.tokens[i])
	for k := i; k+1 < len(s.tokens) && k < i+maxSpelled; {
		how := s.spelledAs(k+1, dotWords)
		switch gap := s.gap(k + 1); {
		case gap == '.':
			k++
			domain += "."
		case gap == '-':
			k++
			domain += "-"
		case how != noSign:
			k += 2
			said = how
			domain += "."
		default:
			return last, said
		}
		domain += s.of(s.tokens[k])
		if isPublicDomain(strings.ToLower(domain)) {
			last = k
		}
	}
	return last, said
}
