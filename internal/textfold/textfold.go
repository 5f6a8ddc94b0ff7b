// SPDX-License-Identifier: Apache-2.0

// Package textfold undoes the disguises of a text, so that a recogniser or a
// model sees what a reader sees: characters without width and marks of
// direction, other spaces, hyphens and quotation marks, full-width and styled
// letters, look-alikes of other scripts inside Latin words, combining marks,
// HTML entities, JSON escapes, URL encoding, and blocks of base64 that hold
// text. Every byte of a folded text leads back to the bytes of the original
// that it came from.
package textfold

import (
	"math"
	"strings"
)

// Folded is a text without its disguises.
type Folded struct {
	// Text is what a recogniser or a model shall read.
	Text string

	from   *Folded // what it was made from, nil for the original
	pieces []piece // where it differs from that, in order; none: nowhere
}

const (
	// rounds is how often escapes are decoded: one may hide in another.
	rounds = 2
	// depth is how many blocks of base64 may be inside one another.
	depth = 2
)

// Fold returns the text with characters folded and HTML entities, JSON escapes
// and URL encoding decoded, those inside one another too. Invalid UTF-8 is
// kept. A text without disguises is returned as it is, without a copy.
func Fold(text string) Folded { return Characters(text).decode() }

// Unescape returns a text with HTML entities, JSON escapes and URL encoding
// decoded, folded, or as it is where it has none of them.
func Unescape(text string) Folded {
	if !strings.ContainsAny(text, `&\%`) {
		return Folded{Text: text}
	}
	return Fold(text)
}

// Unescaped returns the text of Unescape.
func Unescaped(text string) string { return Unescape(text).Text }

// Characters returns the text with characters folded and no escape decoded:
// what to read where a backslash, a percent sign or an ampersand may mean
// itself.
func Characters(text string) Folded { return Folded{Text: text}.fold(false) }

// Views returns every reading of a text that differs from the others: with
// characters folded, which is always there; with escapes decoded too; and with
// the text of blocks of base64 in place of them.
func Views(text string) []Folded {
	plain := Characters(text)
	views := []Folded{plain}
	decoded := plain.decode()
	if decoded.Text != plain.Text {
		views = append(views, decoded)
		// Decoding may have spoilt a block that stood there openly.
		if blocks := plain.Blocks(); blocks.Text != plain.Text {
			views = append(views, blocks)
		}
	}
	if blocks := decoded.Blocks(); blocks.Text != decoded.Text {
		views = append(views, blocks)
	}
	return views
}

// Blocks returns the text with each block of base64, of either alphabet, that
// decodes to text, and those inside that text, replaced by what they say, with
// disguises folded there too. It is the same text if there are none. The span
// of what stood in a block is the block.
func (f Folded) Blocks() Folded {
	for range depth {
		next := f.blocks()
		if next.Text == f.Text {
			break
		}
		f = next.fold(false).decode()
	}
	return f
}

// decode returns the text with escapes decoded and characters folded.
func (f Folded) decode() Folded {
	was := f.Text
	for range rounds {
		if !strings.ContainsAny(f.Text, `&\%`) {
			break
		}
		next := f.fold(true)
		if next.Text == f.Text {
			break
		}
		f = next
	}
	if f.Text == was {
		return f
	}
	return f.fold(false) // a word may be whole only now
}

// fold returns the text that one round makes of f.
func (f Folded) fold(decode bool) Folded {
	if len(f.Text) > math.MaxInt32 {
		return f
	}
	b := builder{in: f.Text}
	fold(&b, decode)
	return f.then(&b)
}

// then returns the text that was built from f, or f if it is the same.
func (f Folded) then(b *builder) Folded {
	if len(b.pieces) == 0 {
		return f
	}
	b.copy(b.done, len(b.in))
	made := Folded{Text: string(b.out), pieces: b.pieces}
	if f.from != nil || len(f.pieces) > 0 {
		made.from = &f
	}
	return made
}
