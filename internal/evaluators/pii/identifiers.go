// SPDX-License-Identifier: Apache-2.0

package pii

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/evaluators/pii/idnumber"
)

// maxGroups is how many groups an identifier is written in.
const maxGroups = 8

// identifiers are the kinds of numbers that are looked for.
var identifiers = idnumber.Kinds()

// near has the identifiers that a word speaks of, by their index.
type near map[string][]int

// identifierIndex is what a scan needs to know of the identifiers.
type identifierIndex struct {
	words  near
	inside []string // words of scripts without spaces, which are looked for inside tokens
	// sizes are the shapes by their length, distinct those that need no word.
	sizes, distinct [idnumber.MaxLen + 1][]shaped
}

type shaped struct {
	shape string
	of    int
}

var identifierTable = sync.OnceValue(func() *identifierIndex {
	index := &identifierIndex{words: near{}}
	for i, id := range identifiers {
		for word := range strings.FieldsSeq(id.Words) {
			index.words[word] = append(index.words[word], i)
			if r, _ := utf8.DecodeRuneInString(word); unspaced(r) && len(index.words[word]) == 1 {
				index.inside = append(index.inside, word)
			}
		}
		for shape := range strings.FieldsSeq(id.Shapes) {
			index.sizes[len(shape)] = append(index.sizes[len(shape)], shaped{shape, i})
			if id.Score > idnumber.Checked {
				index.distinct[len(shape)] = append(index.distinct[len(shape)], shaped{shape, i})
			}
		}
	}
	return index
})

// findIdentifiers hands over the identifiers of a text with their index.
func (s *scan) findIdentifiers(yield func(of int, m match) bool) {
	index := identifierTable()
	told := s.told(index)
	next := 0 // index of the first one that is near enough
	for i, t := range s.tokens {
		for next < len(told) && told[next].token < i-wordsBefore {
			next++
		}
		if t.digits == 0 && t.size() > 5 && t.size() < 15 || t.size() > idnumber.MaxLen {
			continue
		}
		near := told[next:]
		for n, token := range near {
			if token.token >= i+maxGroups+wordsAfter {
				near = near[:n]
				break
			}
		}
		if t.digits > 0 {
			near = s.toldByHead(index, i, near)
		}
		if !s.identify(index, near, i, yield) {
			return
		}
	}
}

// identify hands over what the numbers that begin with token i may be.
func (s *scan) identify(index *identifierIndex, told []toldOf, i int, yield func(of int, m match) bool) bool {
	shapes := &index.sizes
	if len(told) == 0 && s.threshold > idnumber.Checked+scoreNoise {
		shapes = &index.distinct
	}
	var compact [idnumber.MaxLen]byte
	size, digits := 0, 0
	for n := 1; n <= maxGroups && i+n <= len(s.tokens); n++ {
		last := s.tokens[i+n-1]
		if n > 1 && !s.separated(i+n-1) || size+last.size() > idnumber.MaxLen || last.digits+last.letters() != last.size() {
			break
		}
		for k := last.start; k < last.end; k++ {
			c := s.text[k]
			if c >= 'a' && c <= 'z' {
				c -= 'a' - 'A'
			}
			compact[size] = c
			size++
		}
		digits += last.digits
		for _, shape := range shapes[size] {
			if digits < 4 || !fits(compact[:size], shape.shape) {
				continue
			}
			id := &identifiers[shape.of]
			m := s.span(i, n, id.Score)
			if id.Score < s.threshold-scoreNoise {
				if !s.isTold(told, shape.of, i, n) {
					continue
				}
				m.score = min(1, id.Score+contextBonus)
			}
			if id.Check(string(compact[:size])) && !yield(shape.of, m) {
				return false
			}
		}
	}
	return true
}

// separated reports whether one of the signs that identifiers are written with
// is before token i, and nothing else.
func (s *scan) separated(i int) bool {
	switch s.gap(i) {
	case ' ', '-', '.', '/', '(':
		return true
	}
	return false
}

// fits compares a number with a shape of the same length.
func fits(number []byte, shape string) bool {
	for i := range len(number) {
		isDigit := number[i] <= '9'
		if isDigit && shape[i] == 'a' || !isDigit && shape[i] == 'd' {
			return false
		}
	}
	return true
}

// toldOf says that a token speaks of identifiers.
type toldOf struct {
	token int
	of    []int
}

// toldByHead adds what the head of token i's column speaks of.
func (s *scan) toldByHead(index *identifierIndex, i int, told []toldOf) []toldOf {
	for k, last := s.head(s.tokens[i].start); k < last; k++ {
		if of := index.token(s, k); of != nil {
			told = append([]toldOf{{i - 1, of}}, told...)
		}
	}
	return told
}

// told returns the tokens that speak of identifiers.
func (s *scan) told(index *identifierIndex) []toldOf {
	var told []toldOf
	next := 0 // of the numbers, the first that may be behind the word
	for i, t := range s.tokens {
		for next < len(s.numeric) && s.numeric[next] < i-maxGroups-wordsAfter {
			next++
		}
		if next == len(s.numeric) {
			break
		}
		if s.numeric[next] > i+wordsBefore+1 {
			continue
		}
		var of []int
		switch {
		case t.digits == t.size() || t.digits > 2:
		case t.size() <= utf8.UTFMax && s.dotted(i+1) && utf8.RuneCountInString(s.of(t)) == 1:
			of = index.words[strings.ToLower(s.initials(i))]
		default:
			of = index.token(s, i)
		}
		if of != nil {
			told = append(told, toldOf{i, of})
		}
	}
	return told
}

// initials returns the letters of an abbreviation with dots that begins with
// token i.
func (s *scan) initials(i int) string {
	word := s.of(s.tokens[i])
	for i++; s.dotted(i) && utf8.RuneCountInString(s.of(s.tokens[i])) == 1; i++ {
		word += s.of(s.tokens[i])
	}
	return word
}

// dotted reports whether a full stop is before token i, and nothing else but a
// space.
func (s *scan) dotted(i int) bool {
	if i >= len(s.tokens) {
		return false
	}
	between := s.text[s.tokens[i-1].end:s.tokens[i].start]
	return between == "." || between == ". "
}

// otherParts are words for identifiers that are something else in a key, such
// as run_id and org_name.
var otherParts = set("run org ci cf tc sv rc kt ni nn fin pan sin nas rut id personal numeric identity service provider vehicle insurance african")

// token returns the identifiers that token i speaks of, in whole or, if it is
// a key of several words, in its parts.
func (x *identifierIndex) token(s *scan, i int) []int {
	t := s.tokens[i]
	of := x.word(s.of(t))
	if of != nil || !t.compound() {
		return of
	}
	parts := keyParts(s.of(t))
	if of = x.words[strings.Join(parts, "")]; of != nil {
		return of
	}
	if n := len(parts) - 1; n > 0 && otherHeads[parts[n]] && parts[n] != "id" {
		return nil
	}
	for _, part := range parts {
		if !otherParts[part] {
			of = append(of, x.words[part]...)
		}
	}
	return of
}

// word returns the identifiers that a token speaks of.
func (x *identifierIndex) word(token string) []int {
	var low [40]byte
	if token[0] >= utf8.RuneSelf || len(token) > len(low) {
		return x.beyond(token)
	}
	ascii := true
	for k := range len(token) {
		c := token[k]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		low[k] = c
		ascii = ascii && c < utf8.RuneSelf
	}
	of := x.words[string(low[:len(token)])]
	if of == nil && !ascii {
		of = x.words[strings.ToLower(token)]
	}
	return of
}

// beyond looks for words that are not of ASCII, in whole or inside a token.
func (x *identifierIndex) beyond(token string) []int {
	if of := x.words[strings.ToLower(token)]; of != nil {
		return of
	}
	if r, _ := utf8.DecodeRuneInString(token); !unspaced(r) {
		return nil
	}
	for _, word := range x.inside {
		if strings.Contains(token, word) {
			return x.words[word]
		}
	}
	return nil
}

// isTold reports whether a word near n tokens from i on speaks of an
// identifier.
func (s *scan) isTold(told []toldOf, of, i, n int) bool {
	for _, word := range told {
		if word.token >= i+n+wordsAfter {
			return false
		}
		if word.token >= i && word.token < i+n && s.tokens[word.token].digits > 0 {
			continue // inside the number
		}
		if slices.Contains(word.of, of) {
			return true
		}
	}
	return false
}
