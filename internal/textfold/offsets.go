// SPDX-License-Identifier: Apache-2.0

package textfold

import (
	"sort"
	"unicode/utf8"
)

// piece is a part of a folded text and where it came from. It ends where the
// next one begins.
type piece struct {
	out int32 // its first byte
	in  int32 // the first byte of what it was made from
	// size is how many bytes it was made from; 0 says that every byte is its
	// own.
	size int32
}

// Span returns where text[start:end] of the folded text came from: the bytes
// of the original from low to below high. What was left out at either end is
// not in it. It needs 0 <= start <= end <= len(Text); an empty span of the
// text is an empty span of the original.
func (f Folded) Span(start, end int) (low, high int) {
	switch {
	case len(f.pieces) == 0:
		low, high = start, end
	case start >= end:
		low = f.before(start)
		high = low
	default:
		low, high = f.before(start), f.behind(end-1)
	}
	if f.from != nil {
		return f.from.Span(low, high)
	}
	return low, high
}

// before returns where what byte i came from begins.
func (f Folded) before(i int) int {
	p := f.piece(i)
	if p.size > 0 && i < len(f.Text) {
		return int(p.in)
	}
	if p.size > 0 {
		return int(p.in + p.size)
	}
	return int(p.in) + i - int(p.out)
}

// behind returns where what byte i came from ends.
func (f Folded) behind(i int) int {
	p := f.piece(i)
	if p.size > 0 {
		return int(p.in + p.size)
	}
	return int(p.in) + i - int(p.out) + 1
}

// piece returns the piece that byte i is in, the last for bytes beyond.
func (f Folded) piece(i int) piece {
	n := sort.Search(len(f.pieces), func(k int) bool { return int(f.pieces[k].out) > i })
	if n == 0 {
		return piece{}
	}
	return f.pieces[n-1]
}

// builder writes a text that differs from another one in places.
type builder struct {
	in   string
	done int // the bytes of in that were dealt with
	out  []byte
	// pieces has at least one element as soon as there is a difference.
	pieces []piece
}

// replace writes a text for the bytes from start to below end, and copies what
// is before them.
func (b *builder) replace(start, end int, text string) {
	b.copy(b.done, start)
	b.done = end
	if text != "" {
		b.pieces = append(b.pieces, piece{out: int32(len(b.out)), in: int32(start), size: int32(end - start)})
		b.out = append(b.out, text...)
	} else if len(b.pieces) == 0 {
		b.pieces = append(b.pieces, piece{out: int32(len(b.out)), in: int32(end)})
	}
}

// copy takes bytes over as they are.
func (b *builder) copy(start, end int) {
	if b.out == nil {
		b.out = make([]byte, 0, len(b.in)+len(b.in)/16+16)
	}
	if start == end {
		return
	}
	if n := len(b.pieces); n == 0 || b.pieces[n-1].size > 0 || int(b.pieces[n-1].in)-int(b.pieces[n-1].out) != start-len(b.out) {
		b.pieces = append(b.pieces, piece{out: int32(len(b.out)), in: int32(start)})
	}
	b.out = append(b.out, b.in[start:end]...)
}

// rewrite changes the last character that was written, of size bytes, and says
// that it came from everything up to below end.
func (b *builder) rewrite(size, end int, r rune) {
	at := len(b.out) - size
	n := len(b.pieces) - 1
	begin := b.pieces[n].in
	if b.pieces[n].size == 0 {
		begin += int32(at) - b.pieces[n].out
	}
	if int(b.pieces[n].out) >= at {
		b.pieces = b.pieces[:n]
	}
	b.pieces = append(b.pieces, piece{out: int32(at), in: begin, size: int32(end) - begin})
	b.out = utf8.AppendRune(b.out[:at], r)
	b.done = end
}
