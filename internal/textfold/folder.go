// SPDX-License-Identifier: Apache-2.0

package textfold

import (
	"strings"
	"unicode/utf8"
)

// folder makes one round over a text.
type folder struct {
	builder *builder
	// word says of the word that ends at wordEnd whether its look-alikes are
	// Latin letters.
	wordEnd int
	word    bool
	// looked says that mixed is known: whether the text is Latin throughout, but
	// for look-alikes.
	looked, mixed bool
	// tokenEnd is where the run without white space ends of which form tells
	// whether a plus sign is a space in it.
	tokenEnd int
	form     bool
}

// fold makes one round: it folds characters, and decodes escapes on demand.
func fold(b *builder, decode bool) {
	f := folder{builder: b}
	stops := &noStops
	if decode {
		stops = &escapeStops
		if strings.IndexByte(b.in, '%') < 0 {
			stops = &escapeStopsButPlus
		}
	}
	var traits *[1 << 16]trait
	for i := 0; i < len(b.in); {
		c := b.in[i]
		if c < utf8.RuneSelf {
			if !stops[c] {
				i++
				continue
			}
			r, size := f.escape(i)
			if size == 0 {
				i++
				continue
			}
			f.character(r, i, size)
			i += size
			continue
		}
		if traits == nil {
			traits = allTraits()
		}
		r, size := utf8.DecodeRuneInString(b.in[i:])
		if r < 1<<16 && traits[r]&keptTrait == 0 || r >= 1<<16 {
			f.character(r, i, size)
		}
		i += size
	}
}

// noStops, escapeStops and escapeStopsButPlus are the bytes of ASCII that may
// begin an escape.
var noStops, escapeStops, escapeStopsButPlus = stops(""), stops(`&\%+`), stops(`&\%`)

func stops(bytes string) (table [256]bool) {
	for i := range len(bytes) {
		table[bytes[i]] = true
	}
	return table
}

// character folds a character that size bytes at i stand for.
func (f *folder) character(r rune, i, size int) {
	if r < utf8.RuneSelf {
		f.builder.replace(i, i+size, ascii[r:r+1])
		return
	}
	text, what := classify(r)
	switch what {
	case replaced:
		f.builder.replace(i, i+size, text)
		return
	case dropped:
		f.builder.replace(i, i+size, "")
		return
	case joiner:
		if f.afterLatin(i) {
			f.builder.replace(i, i+size, "")
			return
		}
	case mark:
		if f.mark(r, i, size) {
			return
		}
	case lookalike:
		if f.inLatinWord(i, size) {
			f.builder.replace(i, i+size, text)
			return
		}
	}
	if f.builder.in[i] < utf8.RuneSelf { // an escape
		f.builder.replace(i, i+size, string(r))
	}
}

// last returns the character before byte i as it is in the folded text, and
// its length, 0 if there is none.
func (f *folder) last(i int) (rune, int) {
	if i > f.builder.done {
		return utf8.DecodeLastRuneInString(f.builder.in[f.builder.done:i])
	}
	return utf8.DecodeLastRune(f.builder.out)
}

// ascii are the characters of ASCII in order.
var ascii = func() string {
	var b strings.Builder
	for c := range byte(utf8.RuneSelf) {
		b.WriteByte(c)
	}
	return b.String()
}()
