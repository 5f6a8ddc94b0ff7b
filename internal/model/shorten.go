// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

// BytesPerToken is how many bytes of a text are about one token.
const BytesPerToken = 4

const (
	// leftOut stands where pieces of a text were left out.
	leftOut = "[…]"
	// maxPiece is the size in bytes up to which a piece of a text is kept or left out as a whole.
	maxPiece = 400
	// leastPart is the size in bytes below which shortening a text leaves nothing to judge.
	leastPart = 200
)

var errTooMuch = &failure{reason: ReasonTooLong, cause: errors.New("the texts are longer than max_input_tokens or max_question_cost allow, and cannot be shortened")}

// shorten returns data of at most limit bytes, and whether it left something out; a limit of 0
// is none. It takes from the longest texts and keeps the pieces that have the most words of the
// other texts, so that the sentences of a context stay that bear on a question. Of pieces that are
// alike in this, those at the beginning and at the end stay.
func shorten(data []eval.DataBlock, limit int) ([]eval.DataBlock, bool, error) {
	total, room, parts := 0, limit, []int(nil)
	for _, d := range data {
		total += len(d.Text)
		if d.Whole {
			room -= len(d.Text)
		} else {
			parts = append(parts, len(d.Text))
		}
	}
	if limit == 0 || total <= limit {
		return data, false, nil
	}
	most := shareOf(room, parts)
	if most < leastPart {
		return nil, false, errTooMuch
	}
	kept := slices.Clone(data)
	for i, d := range data {
		if !d.Whole && len(d.Text) > most {
			kept[i].Text = bearing(d.Text, wordsOf(slices.Delete(slices.Clone(data), i, i+1)), most)
		}
	}
	return kept, true, nil
}

// shareOf returns the size to which parts are cut, so that they fit into room.
func shareOf(room int, parts []int) int {
	slices.Sort(parts)
	for i, n := range parts {
		if share := room / (len(parts) - i); n > share {
			return share
		}
		room -= n
	}
	return 0 // there is nothing to cut
}

// wordsOf returns the words of texts.
func wordsOf(data []eval.DataBlock) map[string]bool {
	words := map[string]bool{}
	for _, d := range data {
		for _, w := range tellingWords(d.Text) {
			words[w] = true
		}
	}
	return words
}

// tellingWords returns the numbers of a text, and its words of four bytes and more.
func tellingWords(text string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), func(w string) bool { return len(w) < 4 && !unicode.IsDigit(rune(w[0])) })
}

// sentence is what ends with a line or with the mark of a sentence.
var sentence = regexp.MustCompile(`[^.!?。！？\n]*[.!?。！？\n]*`)

// bearing returns the pieces of a text that bear most on some words, of at most limit bytes.
func bearing(text string, words map[string]bool, limit int) string {
	size, gap := min(maxPiece, limit/2), len(leftOut)+2
	var pieces []string
	for _, s := range sentence.FindAllString(text, -1) {
		for s != "" {
			piece := textcut.Bytes(s, size)
			if piece == "" { // bytes that are no text
				piece = s[:1]
			}
			pieces, s = append(pieces, piece), s[len(piece):]
		}
	}
	shared, in := make([][]string, len(pieces)), map[string]int{}
	for i, p := range pieces {
		for _, w := range tellingWords(p) {
			if words[w] && !slices.Contains(shared[i], w) {
				shared[i] = append(shared[i], w)
				in[w]++
			}
		}
	}
	// A word that few pieces have tells more than one that many have.
	score, order := make([]float64, len(pieces)), make([]int, len(pieces))
	for i := range pieces {
		order[i] = i
		for _, w := range shared[i] {
			score[i] += 1 / float64(in[w])
		}
	}
	fromEnd := func(i int) int { return min(i, len(pieces)-1-i) }
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(fromEnd(a), fromEnd(b)))
	})
	keep := make([]bool, len(pieces))
	limit -= gap // the one at the end
	for _, i := range order {
		if n := len(pieces[i]) + gap; n <= limit {
			keep[i], limit = true, limit-n
		}
	}
	var b strings.Builder
	for i, p := range pieces {
		afterKept := i == 0 || keep[i-1]
		switch {
		case keep[i] && afterKept:
			b.WriteString(p)
		case keep[i]:
			b.WriteString(" " + strings.TrimLeft(p, " "))
		case afterKept:
			if last, _ := utf8.DecodeLastRuneInString(b.String()); b.Len() > 0 && !unicode.IsSpace(last) {
				b.WriteByte(' ')
			}
			b.WriteString(leftOut)
		}
	}
	return strings.TrimRight(b.String(), " ")
}
