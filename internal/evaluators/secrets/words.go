// SPDX-License-Identifier: Apache-2.0

package secrets

import "math"

// words finds many words in a text at once, by the automaton of Aho and Corasick:
// https://doi.org/10.1145/360825.360855. Bytes that no word has are one to it, so that
// thousands of words take some hundred kilobytes.
type words struct {
	class [256]uint16 // of each byte; 0 is that of bytes in no word
	width int         // how many classes there are
	next  []uint16    // the state behind each state and class
	ends  []uint16    // the word that ends at each state, counted from 1; 0 is none
	link  []uint16    // the state of the longest end of a state at which a word ends; 0 is none
	sizes []int       // of the words
}

// newWords returns the search for words, none of which is empty.
func newWords(list []string) *words {
	w := &words{width: 1}
	for _, word := range list {
		w.sizes = append(w.sizes, len(word))
		for i := range len(word) {
			if c := &w.class[word[i]]; *c == 0 {
				*c = uint16(w.width)
				w.width++
			}
		}
	}
	w.grow()
	for k, word := range list {
		state := uint16(0)
		for i := range len(word) {
			at := w.at(state, word[i])
			if w.next[at] == 0 {
				w.next[at] = w.grow()
			}
			state = w.next[at]
		}
		w.ends[state] = uint16(k + 1)
	}
	w.join()
	return w
}

// at returns where the state behind a state and a byte is kept.
func (w *words) at(state uint16, b byte) int { return int(state)*w.width + int(w.class[b]) }

// grow returns another state. The words are those of this program, which have fewer than
// 65536 letters.
func (w *words) grow() uint16 {
	w.next = append(w.next, make([]uint16, w.width)...)
	w.ends = append(w.ends, 0)
	w.link = append(w.link, 0)
	if len(w.ends) > math.MaxUint16 {
		panic("secrets: too many words for a search")
	}
	return uint16(len(w.ends) - 1)
}

// join has each state go on, at bytes with which none of its words does, as the state of
// its longest end does. States nearer to the first one come first.
func (w *words) join() {
	end := make([]uint16, len(w.ends)) // the state of the longest end of each state
	var queue []uint16
	for _, child := range w.next[:w.width] {
		if child != 0 {
			queue = append(queue, child)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		state, shorter := queue[0], end[queue[0]]
		if w.link[state] = shorter; w.ends[shorter] == 0 {
			w.link[state] = w.link[shorter]
		}
		for c := range w.width {
			behind := w.next[int(shorter)*w.width+c]
			if child := &w.next[int(state)*w.width+c]; *child == 0 {
				*child = behind
			} else {
				end[*child] = behind
				queue = append(queue, *child)
			}
		}
	}
}

// walk hands over each place where a word stands, and the word's number, in the order in
// which they end, until yield returns false.
func (w *words) walk(text []byte, yield func(start, word int) bool) {
	state := uint16(0)
	for i, b := range text {
		state = w.next[w.at(state, b)]
		at := state
		if w.ends[at] == 0 {
			at = w.link[at]
		}
		for ; at != 0; at = w.link[at] {
			word := int(w.ends[at] - 1)
			if !yield(i+1-w.sizes[word], word) {
				return
			}
		}
	}
}

// in reports whether a text has one of the words.
func (w *words) in(text string) bool {
	found := false
	w.walk([]byte(text), func(int, int) bool {
		found = true
		return false
	})
	return found
}
