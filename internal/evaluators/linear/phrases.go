// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"math/bits"
	"slices"
	"sync"
	"unicode/utf8"
)

// Phrases finds fixed turns of phrase in texts, read as models read them.
// It is immutable and safe for concurrent use; the time it takes grows with
// the text and not with what the text holds.
type Phrases struct {
	rules []rule
	words map[string]int
	// doubled are the words with letters twice in a row, by their letters once.
	doubled map[string][]string
	places  [][]place // by word: where rules take it
	seats   sync.Pool
}

// rule is a phrase as an automaton: bit i of a state says that the elements
// before i have been read.
type rule struct {
	name string
	// reach has, for each element, the bits of the states from there on that
	// need nothing more to be read, as later elements may be left out. The
	// last bit is the end.
	reach [maxElements + 1]uint32
	gaps  uint32 // elements that take any word
	end   uint32
}

// place says which elements of a rule take a word.
type place struct {
	rule     int
	elements uint32
}

// seat is what one search needs; searches take turns with it.
type seat struct {
	tokens Tokens
	// states of the rules under way, which are listed in active; next and
	// spare are for the word that is being read, and next is all zero before.
	states, next  []uint32
	active, spare []int
	squeezed      [maxToken + 16]byte
}

// Find returns the name of the first rule that the text meets. Punctuation that
// a rule does not ask for is passed over, but for the end of a sentence, which
// no phrase spans.
func (p *Phrases) Find(text string) (name string, found bool) {
	p.Visit(text, func(met string, _ int) bool {
		name, found = met, true
		return false
	})
	return name, found
}

// Visit calls met with the name of each rule that the text meets and the byte behind its
// phrase, in the order in which the phrases end, until met gives false. Of rules that end
// with the same word it is the first.
func (p *Phrases) Visit(text string, met func(name string, end int) bool) {
	s, _ := p.seats.Get().(*seat)
	defer p.seats.Put(s)
	defer s.clear()
	s.tokens.Reset(text)
	for s.tokens.Next() {
		word, kind := s.tokens.Token()
		n, known := p.lookup(s, word)
		if !known && kind == Mark {
			if len(word) == 1 && endsSentence(word) {
				s.clear()
			}
			continue
		}
		if r := p.read(s, n, known, kind == Mark); r >= 0 && !met(p.rules[r].name, s.tokens.End()) {
			return
		}
	}
}

// longestPhrase is how many bytes before its end the beginning of a phrase is sought.
const longestPhrase = 256

// Begin returns the first byte of a phrase of a text that Visit found to end at a byte: of
// its beginnings the last.
func (p *Phrases) Begin(text string, end int) int {
	from := max(0, end-longestPhrase)
	for from < end && !utf8.RuneStart(text[from]) {
		from++
	}
	var begins []int
	var tokens Tokens
	for tokens.Reset(text[from:end]); tokens.Next(); {
		begins = append(begins, from+tokens.Start())
	}
	for _, begin := range slices.Backward(begins) {
		whole := false
		p.Visit(text[begin:end], func(_ string, at int) bool {
			whole = begin+at == end
			return !whole
		})
		if whole {
			return begin
		}
	}
	return from
}

// lookup finds a word, without the letters that are repeated for emphasis if
// need be.
func (p *Phrases) lookup(s *seat, word []byte) (n int, known bool) {
	if n, known = p.words[string(word)]; known {
		return n, true
	}
	if !drawnOut(word) {
		return 0, false
	}
	for most := 2; most > 0; most-- {
		if n, known = p.words[string(squeeze(s.squeezed[:0], word, most))]; known {
			return n, true
		}
	}
	// Some letters drawn out and others double: "pusssyyy".
	for _, doubled := range p.doubled[string(once(s.squeezed[:0], word))] {
		if drawsOut(word, doubled) {
			return p.words[doubled], true
		}
	}
	return 0, false
}

// once appends word to dst with every repeated letter once.
func once(dst, word []byte) []byte {
	for i, b := range word {
		if i == 0 || word[i-1] != b {
			dst = append(dst, b)
		}
	}
	return dst
}

// drawsOut reports whether word has the letters of plain in their order, each
// as often in a row or more often.
func drawsOut(word []byte, plain string) bool {
	i, j := 0, 0
	for i < len(word) && j < len(plain) && word[i] == plain[j] {
		b, more := word[i], 0
		for ; i < len(word) && word[i] == b; i++ {
			more++
		}
		for ; j < len(plain) && plain[j] == b; j++ {
			more--
		}
		if more < 0 {
			return false
		}
	}
	return i == len(word) && j == len(plain)
}

func drawnOut(word []byte) bool {
	run := 1
	for i := 1; i < len(word) && run < 3; i++ {
		if word[i] == word[i-1] {
			run++
		} else {
			run = 1
		}
	}
	return run >= 3
}

// squeeze appends word to dst with three and more of a letter cut to most.
func squeeze(dst, word []byte, most int) []byte {
	for i := 0; i < len(word); {
		end := i
		for end < len(word) && word[end] == word[i] {
			end++
		}
		n := end - i
		if n > 2 {
			n = most
		}
		dst = append(dst, word[i:i+n]...)
		i = end
	}
	return dst
}

// read moves every rule on by a word and gives the first that is met, or -1.
func (p *Phrases) read(s *seat, word int, known, mark bool) int {
	moved := s.spare[:0]
	for _, n := range s.active {
		if s.next[n] = p.rules[n].pass(s.states[n], mark); s.next[n] != 0 {
			moved = append(moved, n)
		}
	}
	met := -1
	if known {
		for _, at := range p.places[word] {
			got := p.rules[at.rule].take((s.states[at.rule] | p.rules[at.rule].reach[0]) & at.elements)
			if got&p.rules[at.rule].end != 0 && (met < 0 || at.rule < met) {
				met = at.rule
			}
			if got != 0 && s.next[at.rule] == 0 {
				moved = append(moved, at.rule)
			}
			s.next[at.rule] |= got
		}
	}
	for _, n := range s.active {
		s.states[n] = 0
	}
	s.states, s.next = s.next, s.states
	s.active, s.spare = moved, s.active
	return met
}

// take returns the states after elements that have been read.
func (r *rule) take(elements uint32) uint32 {
	next := uint32(0)
	for ; elements != 0; elements &= elements - 1 {
		next |= r.reach[bits.TrailingZeros32(elements)+1]
	}
	return next
}

// pass returns the states after a word that no element asks for.
func (r *rule) pass(states uint32, mark bool) uint32 {
	if mark {
		return states
	}
	return r.take(states & r.gaps)
}

// clear forgets what has been read.
func (s *seat) clear() {
	for _, n := range s.active {
		s.states[n] = 0
	}
	s.active = s.active[:0]
}
