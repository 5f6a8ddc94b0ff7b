// SPDX-License-Identifier: Apache-2.0

package linear

import "unicode/utf8"

// Kind says what a token is.
type Kind uint8

const (
	// Word is a run of letters and digits, folded.
	Word Kind = iota
	// Mark is punctuation or a symbol that carries meaning, at most three of
	// the same.
	Mark
	// Mention is a name after an at sign, the sign read as the letter a.
	Mention
)

const (
	// maxToken is the length at which a longer run of letters is cut: no word
	// of a language, so the pieces are as good as the whole.
	maxToken = 64
	// maxSpaced is the number of letters that are joined when they come with
	// a separator between each two.
	maxSpaced = 32
)

// Tokens walks over the tokens of a text. Nothing is allocated per token.
type Tokens struct {
	text  string
	pos   int // of the next byte to read
	begin int // of the current token
	word  []byte
	kind  Kind
	// scripts seen in the word: a Latin letter, a look-alike of one.
	latin, lookalike bool
	repeated         int // how often the last byte of word came in a row
	// readings is the number of words so far with digits that were letters.
	readings int
	// digits and runs of three and more of a letter are in the word.
	digits, runs bool
	buf          [maxToken + 16]byte
}

// Reset starts at the beginning of a text.
func (t *Tokens) Reset(text string) { t.text, t.pos, t.readings = text, 0, 0 }

// Token returns the current token, valid until the next call of Next.
func (t *Tokens) Token() ([]byte, Kind) { return t.word, t.kind }

// End returns the position in the text at which the current token ends.
func (t *Tokens) End() int { return t.pos }

// Start returns the position in the text at which the current token begins.
func (t *Tokens) Start() int { return t.begin }

// Next goes to the next token and reports whether there is one.
func (t *Tokens) Next() bool {
	t.word, t.latin, t.lookalike, t.repeated, t.digits, t.runs = t.buf[:0], false, false, 0, false, false
	for t.pos < len(t.text) {
		b := t.text[t.pos]
		t.begin = t.pos
		switch class[b] {
		case space:
			t.pos++
		case letter, digit:
			if b|0x20 == 'h' && t.skipLink() || b|0x20 == 'w' && t.skipLink() {
				continue
			}
			t.readWord()
			return true
		case mark:
			if t.readMark(b) {
				return true
			}
		case foreign:
			if t.readForeign() {
				return true
			}
		}
	}
	return false
}

// readMark reads what is neither letter nor space. It reports false for what
// is skipped.
func (t *Tokens) readMark(b byte) bool {
	switch {
	case b == '&' && t.skipEntity():
		return false
	case b == '@' && t.wordAt(t.pos+1):
		t.pos++
		t.readWord()
		t.kind = Mention
		t.word = append(t.word, 0)
		copy(t.word[1:], t.word)
		t.word[0] = 'a'
		return true
	}
	t.kind = Mark
	for t.pos < len(t.text) && t.text[t.pos] == b {
		if len(t.word) < 3 {
			t.word = append(t.word, b)
		}
		t.pos++
	}
	return true
}

func (t *Tokens) wordAt(pos int) bool {
	return pos < len(t.text) && (class[t.text[pos]] == letter || class[t.text[pos]] == digit)
}

// readForeign reads a rune that is not ASCII: the start of a word, or a
// symbol, or nothing.
func (t *Tokens) readForeign() bool {
	r, size := utf8.DecodeRuneInString(t.text[t.pos:])
	switch kindOf(r) {
	case inWord:
		t.readWord()
		return len(t.word) > 0
	case pictured:
		t.kind = Mark
		t.word = utf8.AppendRune(t.word, r)
		t.pos += size
		return true
	default:
		t.pos += size
		return false
	}
}

// readWord reads a run of letters and digits, folding as it goes.
func (t *Tokens) readWord() {
	t.kind = Word
	if t.readSpaced() {
		return
	}
	for t.pos < len(t.text) && len(t.word) < maxToken {
		b := t.text[t.pos]
		switch class[b] {
		case letter:
			t.latin = true
			t.put(b | 0x20)
			t.pos++
			continue
		case digit:
			t.digits = true
			t.put(b)
			t.pos++
			continue
		case foreign:
			r, size := utf8.DecodeRuneInString(t.text[t.pos:])
			kind := kindOf(r)
			if kind == unseen {
				t.pos += size
				continue
			}
			if kind == inWord {
				t.putRune(r)
				t.pos += size
				continue
			}
			if r == '’' && t.wordAt(t.pos+size) {
				t.pos += size
				continue
			}
		case mark, space:
			if b == '\'' && t.wordAt(t.pos+1) {
				t.pos++
				continue
			}
			if t.readDisguise(b) {
				continue
			}
		}
		break
	}
	if t.latin && t.lookalike {
		t.unmask()
	}
	t.endWord()
}

// endWord ends a word: what digits and repeated letters stand for is known only
// then.
func (t *Tokens) endWord() {
	if t.digits {
		t.readDigits()
	}
	if t.runs {
		t.cutRuns()
	}
}

// mostRepeated is the number of the same byte in a row that are read: thrice
// a double letter.
const mostRepeated = 6

// put appends a byte, but not the seventh and later of the same.
func (t *Tokens) put(b byte) {
	if n := len(t.word); n > 0 && t.word[n-1] == b {
		t.repeated++
		t.runs = t.runs || t.repeated > 2
		if t.repeated > mostRepeated {
			return
		}
	} else {
		t.repeated = 1
	}
	t.word = append(t.word, b)
}

// readSpaced joins single letters with the same separator between each two,
// "s p a c e d" or "d.o.t.t.e.d", into the word they spell. It reports false,
// having read nothing, where there are none.
func (t *Tokens) readSpaced() bool {
	if t.pos+5 > len(t.text) || class[t.text[t.pos]] != letter || class[t.text[t.pos+2]] != letter {
		return false
	}
	sep := t.text[t.pos+1]
	switch sep {
	case ' ', '.', '-', '_', '*', '/', '+', '|':
	default:
		return false
	}
	end, letters := t.pos+1, 1
	for end+1 < len(t.text) && t.text[end] == sep && class[t.text[end+1]] == letter && letters < maxSpaced {
		end += 2
		letters++
	}
	if t.wordAt(end) { // the last letter begins a word
		end -= 2
		letters--
	}
	if letters < 3 {
		return false
	}
	for ; t.pos < end; t.pos += 2 {
		t.put(t.text[t.pos] | 0x20)
	}
	t.pos = end
	t.latin = true
	t.endWord()
	return true
}
