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

// Part is a passage of a text as models are trained on it.
type Part struct {
	// Features has length 1 and is sorted by index.
	Features []Feature
	// Sequence has the places of tokens in the table of vectors, or that they have none.
	Sequence []int32
}

// Vectoriser gives the passages of many texts. It is for one goroutine at a time.
type Vectoriser struct{ c *counter }

// NewVectoriser makes one for models of 2^bits features and of a length of
// passages, 0 for the usual one.
func NewVectoriser(bits uint8, passage int) *Vectoriser {
	c := newCounter(bits, cmp.Or(passage, Passage))
	c.dense = true
	return &Vectoriser{c}
}

// Parts returns the passages of a text.
func (v *Vectoriser) Parts(text string) []Part {
	var all []Part
	v.c.passages(text, func() {
		all = append(all, Part{Features: v.c.vector(), Sequence: slices.Clone(v.c.sequence)})
	})
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
