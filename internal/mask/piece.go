// SPDX-License-Identifier: Apache-2.0

package mask

import (
	"cmp"
	"slices"
)

// piece is a part of a text that was found, in bytes.
type piece struct {
	start, end int
	kind       string
	effect     Effect
}

// joined returns pieces in order and without overlaps. Those that overlap become one, of
// the kind of the longest; it is hashed only if all of them were to be.
func joined(pieces []piece) []piece {
	if len(pieces) < 2 {
		return pieces
	}
	slices.SortFunc(pieces, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(a.kind, b.kind))
	})
	all, longest := pieces[:1], pieces[0].end-pieces[0].start
	for _, p := range pieces[1:] {
		last := &all[len(all)-1]
		if p.start >= last.end {
			all, longest = append(all, p), p.end-p.start
			continue
		}
		last.end = max(last.end, p.end)
		last.effect = min(last.effect, p.effect)
		if size := p.end - p.start; size > longest {
			last.kind, longest = p.kind, size
		}
	}
	return all
}

// within returns the pieces that overlap the bytes from start to end.
func within(pieces []piece, start, end int) []piece {
	first, _ := slices.BinarySearchFunc(pieces, start, func(p piece, at int) int { return cmp.Compare(p.end, at+1) })
	last := first
	for last < len(pieces) && pieces[last].start < end {
		last++
	}
	return pieces[first:last]
}
