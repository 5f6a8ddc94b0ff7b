// SPDX-License-Identifier: Apache-2.0

package spangen

import (
	"math/rand/v2"
	"strings"
)

const (
	vocabularySize = 20_000
	zipfExponent   = 1.43
	zipfOffset     = 2.2
)

// vocabulary draws words by Zipf's law.
type vocabulary struct {
	words []string
	zipf  *rand.Zipf
}

func newVocabulary(r *rand.Rand) *vocabulary {
	v := &vocabulary{zipf: rand.NewZipf(r, zipfExponent, zipfOffset, vocabularySize-1)}
	seen := make(map[string]bool, vocabularySize)
	for len(v.words) < vocabularySize {
		w := word(r, 1+len(v.words)/2000)
		if !seen[w] {
			seen[w] = true
			v.words = append(v.words, w)
		}
	}
	return v
}

// word returns a pronounceable word; rare words are longer than common ones.
func word(r *rand.Rand, rank int) string {
	const consonants, vowels = "bcdfghjklmnprstvwz", "aeiou"
	var b strings.Builder
	for range 1 + r.IntN(2+min(rank, 3)) {
		b.WriteByte(consonants[r.IntN(len(consonants))])
		b.WriteByte(vowels[r.IntN(len(vowels))])
		if r.IntN(3) == 0 {
			b.WriteByte(consonants[r.IntN(len(consonants))])
		}
	}
	return b.String()
}

// text makes sentences of about n bytes in all.
func (g *Generator) text(n int) string {
	var b strings.Builder
	b.Grow(n + 16)
	left := 0
	for b.Len() < n {
		w := g.words.words[g.words.zipf.Uint64()]
		if left == 0 {
			left = 6 + g.rand.IntN(14)
			b.WriteString(strings.ToUpper(w[:1]))
			b.WriteString(w[1:])
		} else {
			b.WriteByte(' ')
			b.WriteString(w)
		}
		if left--; left == 0 {
			b.WriteString(". ")
		}
	}
	return b.String()
}

// around draws a length whose mean is n: many short ones, a few long.
func (g *Generator) around(n int) int {
	return n/3 + int(g.rand.ExpFloat64()*float64(n)*2/3)
}
