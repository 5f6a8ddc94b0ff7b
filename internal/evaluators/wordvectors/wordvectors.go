// SPDX-License-Identifier: Apache-2.0

// Package wordvectors knows what English words mean, as far as their company in
// other texts tells it: each has a vector, and words that stand in like places
// have vectors of like directions. Synonyms have them, and so have antonyms,
// the days of the week and names of towns: a high cosine says that two words are of
// one subject, and not that one may stand for the other.
package wordvectors

import "math"

// Dimensions is how many numbers a vector has.
const Dimensions = 64

// Vector is that of a word. It is read where the table lies, and takes no memory.
type Vector struct {
	steps string
	scale float32
	norm  float32 // of the steps
	place int32
}

// Of returns the vector of a word, which is in lower case and of the letters a to
// z alone: others have none.
func Of[T string | []byte](word T) (Vector, bool) { return english().find(hash(word)) }

// At returns a number of the vector.
func (v Vector) At(i int) float32 { return v.scale * float32(int8(v.steps[i])) }

// Place returns where in the table the word stands, 0 and up, below Words: what is
// made of vectors can be kept by it.
func (v Vector) Place() int { return int(v.place) }

// Words returns the number of words that have vectors.
func Words() int { return len(english().tags) / 4 }

// AtPlace returns the vector of the word at a place.
func AtPlace(place int) Vector { return english().at(place) }

// Norm returns the length of the vector. Vectors of common words are shorter than
// those of words that are at home in one subject.
func (v Vector) Norm() float32 { return v.scale * v.norm }

// Cosine tells how alike two words are, -1 to 1.
func (v Vector) Cosine(w Vector) float32 {
	if v.norm == 0 || w.norm == 0 {
		return 0
	}
	a, b := v.steps[:Dimensions], w.steps[:Dimensions]
	dot := int32(0)
	for i := range Dimensions {
		dot += int32(int8(a[i])) * int32(int8(b[i]))
	}
	return float32(dot) / (v.norm * w.norm)
}

// Signs has a bit for each number of the vector that is not negative. The more bits
// two vectors have in common, the smaller is the angle between them: code that
// compares many words leaves most pairs out by their signs.
func (v Vector) Signs() uint64 {
	const sign, gather = 0x8080808080808080, 0x0002040810204081
	steps := v.steps[:Dimensions]
	signs := uint64(0)
	for i := 0; i < Dimensions; i += 8 {
		eight := uint64(number(steps, i)) | uint64(number(steps, i+4))<<32
		signs |= (eight & sign >> 7) * (gather << 7) >> 56 << i
	}
	return ^signs
}

// Sum is a weighted sum of vectors, for a text the sum of its words.
type Sum [Dimensions]float32

// Add adds a vector, weight times.
func (s *Sum) Add(v Vector, weight float32) {
	weight *= v.scale
	steps := v.steps[:Dimensions]
	for i := range Dimensions {
		s[i] += weight * float32(int8(steps[i]))
	}
}

// Cosine tells how alike two sums are, -1 to 1; 0 if one of them is nothing.
func (s *Sum) Cosine(t *Sum) float32 {
	a, b := s.dot(s), t.dot(t)
	if a == 0 || b == 0 {
		return 0
	}
	return float32(float64(s.dot(t)) / math.Sqrt(float64(a)*float64(b)))
}

func (s *Sum) dot(t *Sum) float32 {
	sum := float32(0)
	for i := range Dimensions {
		sum += s[i] * t[i]
	}
	return sum
}
