// SPDX-License-Identifier: Apache-2.0

// Package keyfilter tells of a partition which spans cannot be in it. It is a
// Bloom filter over the identities of its spans that grows with them: layers of
// growing size, of which all but the last are full.
//
// https://doi.org/10.1145/362686.362692 (Bloom, 1970)
// https://doi.org/10.1016/j.ipl.2006.10.007 (Almeida et al.: scalable Bloom filters)
package keyfilter

import (
	"encoding/binary"
	"slices"

	"github.com/bits-and-blooms/bloom/v3"

	"github.com/touchstone-otel/touchstone/internal/span"
)

const (
	// bitsPerKey and hashes make a full layer answer wrongly for one in 1,700 of
	// the spans that are not there.
	bitsPerKey = 16
	hashes     = 8
	// firstLayer is how many spans the first layer has room for; each next one has
	// room for growth times as many.
	firstLayer = 2048
	growth     = 4
)

// Filter says which spans a partition may have. It is not safe for concurrent use.
type Filter struct{ layers []layer }

type layer struct {
	bits *bloom.BloomFilter
	room uint32 // spans that it still takes in
}

// Add makes a filter answer that a span of an environment, by the environment's
// code in the partition, may be there.
func (f *Filter) Add(env int32, id span.Identity) {
	last := len(f.layers) - 1
	if last < 0 || f.layers[last].room == 0 {
		capacity := uint32(firstLayer)
		for range f.layers {
			capacity *= growth
		}
		f.layers = append(f.layers, layer{bits: bloom.New(uint(capacity)*bitsPerKey, hashes), room: capacity})
		last++
	}
	k := keyOf(env, id)
	f.layers[last].bits.Add(k[:])
	f.layers[last].room--
}

// MayHave reports whether a span may be there. It is wrong for few spans that are
// not, and for none that are.
func (f *Filter) MayHave(env int32, id span.Identity) bool {
	k := keyOf(env, id)
	for i := len(f.layers) - 1; i >= 0; i-- {
		if f.layers[i].bits.Test(k[:]) {
			return true
		}
	}
	return false
}

// Clone returns a filter of its own that answers as f does.
func (f *Filter) Clone() *Filter {
	c := &Filter{layers: slices.Clone(f.layers)}
	for i := range c.layers {
		c.layers[i].bits = c.layers[i].bits.Copy()
	}
	return c
}

// Bytes returns how much memory the filter takes.
func (f *Filter) Bytes() int {
	n := 0
	for _, l := range f.layers {
		n += int(l.bits.Cap()) / 8
	}
	return n
}

type key [4 + 4 + 16 + 8]byte

func keyOf(env int32, id span.Identity) (k key) {
	binary.LittleEndian.PutUint32(k[0:], uint32(env))
	binary.LittleEndian.PutUint32(k[4:], uint32(id.Bucket))
	copy(k[8:], id.TraceID[:])
	copy(k[24:], id.SpanID[:])
	return k
}
