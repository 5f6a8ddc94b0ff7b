// SPDX-License-Identifier: Apache-2.0

// Package ngram is a model of the letters of English: how likely each is after
// the five before it. It is small, and good at one thing: telling writing from
// gibberish.
package ngram

import "math"

// Order is how many characters the longest piece has that is counted.
const Order = 6

// edge stands before and after a text.
const edge = 0

// Model tells how likely bytes are after others. It is immutable and safe for
// concurrent use.
type Model struct {
	// root is the piece without bytes, which everything follows.
	root  entry
	table table
}

// entry is what was counted of a piece: how often it occurs, and how many
// different bytes follow it, 0 if that was not kept.
type entry struct {
	count, kinds uint32
}

const prime = 16777619

// hash tells pieces apart, and nothing else does: of ten thousand pieces that
// are not there, about one is taken for another.
func hash(piece []byte) uint32 {
	h := uint32(2166136261) ^ uint32(len(piece))*prime
	for _, b := range piece {
		h = (h ^ uint32(b)) * prime
	}
	h ^= h >> 15
	h *= 0x2c1b3c6d
	return h ^ h>>13
}

// lowest is the probability of a byte that never followed its context in the texts
// that the model was made of.
const lowest = 1.0 / 256

// floor bounds probabilities from below: scripts that were never seen are
// unlikely and not impossible.
const floor = lowest / 20

// Highest is the surprisal of a byte of such a script, which is that of every byte at most.
var Highest = -math.Log(floor)

// Surprisals gives, for each byte of a text and for its end, how unlikely it is
// after those before it, in nats.
func (m *Model) Surprisals(text []byte) []float64 {
	padded := pad(text)
	all := make([]float64, 0, len(text)+1)
	// The pieces that end with one byte are the contexts of the next: contexts
	// has them by their length.
	var contexts, pieces [Order + 1]entry
	for n := range Order {
		contexts[n] = m.find(padded[:Order-1][Order-1-n:])
	}
	for end := Order; end <= len(padded); end++ {
		pieces[0] = m.root
		for n := 1; n <= Order; n++ {
			pieces[n] = m.find(padded[end-n : end])
		}
		all = append(all, -math.Log(max(probability(&contexts, &pieces), floor)))
		contexts = pieces
	}
	return all
}

func (m *Model) find(piece []byte) entry {
	if len(piece) == 0 {
		return m.root
	}
	return m.table.find(hash(piece))
}

// pad puts edges around a text.
func pad(text []byte) []byte {
	padded := make([]byte, Order-1, len(text)+Order)
	return append(append(padded, text...), edge)
}

// probability returns how likely a byte is: for each context before it, from none to the
// longest, what was counted and the estimate of the shorter one are weighed by
// how many different bytes follow the context (Witten and Bell).
func probability(contexts, pieces *[Order + 1]entry) float64 {
	p := lowest
	for n := 1; n <= Order; n++ {
		context := contexts[n-1]
		if context.count == 0 || context.kinds == 0 {
			return p
		}
		kinds := float64(context.kinds)
		p = (float64(pieces[n].count) + kinds*p) / (float64(context.count) + kinds)
	}
	return p
}

// Train counts the pieces of texts. Contexts that are seen less often than
// least are left out, which hardly changes what is likely.
func Train(texts [][]byte, least uint32) *Model {
	pieces := map[string]uint32{}
	total := uint32(0)
	for _, text := range texts {
		padded := pad(text)
		for end := Order; end <= len(padded); end++ {
			total++
			for n := 1; n <= Order; n++ {
				pieces[string(padded[end-n:end])]++
			}
		}
		// Contexts that reach into the edge before the text are pieces too.
		for n := 1; n < Order; n++ {
			pieces[string(make([]byte, n))]++
		}
	}
	entries := map[uint32]entry{}
	root := entry{count: total}
	for piece, count := range pieces {
		before := piece[:len(piece)-1]
		switch {
		case before == "":
			root.kinds++
		case pieces[before] < least:
			continue
		default:
			h := hash([]byte(before))
			e := entries[h]
			e.kinds++
			entries[h] = e
		}
		h := hash([]byte(piece))
		e := entries[h]
		e.count += count
		entries[h] = e
	}
	return &Model{root, tableOf(entries)}
}
