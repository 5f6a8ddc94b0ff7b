// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"cmp"
	"math"
	"slices"
)

// Feature is one feature of a passage and its weight in it.
type Feature struct {
	Index uint32
	Value float64
}

// Vectoriser gives the features of many texts. It is for one goroutine at a time.
type Vectoriser struct{ c *counter }

// NewVectoriser makes one for models of 2^bits features and of a length of
// passages, 0 for the usual one.
func NewVectoriser(bits uint8, passage int) *Vectoriser {
	return &Vectoriser{newCounter(bits, cmp.Or(passage, Passage))}
}

// Vectors returns the features of each passage of a text, sorted by index, each
// vector of length 1: what models are trained on.
func (v *Vectoriser) Vectors(text string) [][]Feature { return v.c.vectors(text) }

func (c *counter) vectors(text string) [][]Feature {
	var all [][]Feature
	c.passages(text, func() { all = append(all, c.vector()) })
	return all
}

// vector returns the features that are counted.
func (c *counter) vector() []Feature {
	slices.Sort(c.touched)
	vector := make([]Feature, len(c.touched))
	length := int64(0)
	for n, i := range c.touched {
		v := damped[c.counts[i]]
		length += v * v
		vector[n] = Feature{Index: i, Value: float64(v)}
	}
	root := math.Sqrt(float64(length))
	for n := range vector {
		vector[n].Value /= root
	}
	return vector
}
