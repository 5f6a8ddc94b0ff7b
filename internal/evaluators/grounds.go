// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/wording"
)

// maxEvidence is how many pieces of a text a result has for evidence.
const maxEvidence = 20

// pieces are places of a text that do not overlap, the first that were found.
type pieces []eval.Evidence

// add adds a piece, and reports whether there is room for more.
func (p *pieces) add(piece eval.Evidence) (more bool) {
	overlaps := func(other eval.Evidence) bool { return other.Start < piece.End && piece.Start < other.End }
	if len(*p) < maxEvidence && !slices.ContainsFunc(*p, overlaps) {
		*p = append(*p, piece)
	}
	return len(*p) < maxEvidence
}

// inOrder returns the pieces as they come in the text.
func (p pieces) inOrder() []eval.Evidence {
	slices.SortFunc(p, func(a, b eval.Evidence) int { return cmp.Compare(a.Start, b.Start) })
	return p
}

// sentencesIn hands over the sentences of a text and where they begin.
func sentencesIn(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		at := 0
		for _, s := range lexical.Sentences(text) {
			at += max(0, strings.Index(text[at:], s))
			if !yield(at, s) {
				return
			}
			at += len(s)
		}
	}
}

// strongest returns the sentence of an input that has the highest probability by itself, none
// where that is below a threshold.
func strongest(input, text string, threshold float64, probability func(string) float64) (found []eval.Evidence) {
	highest := threshold - scoreNoise
	for at, s := range sentencesIn(text) {
		if p := probability(s); p >= highest && (found == nil || p > highest) {
			highest, found = p, []eval.Evidence{{Input: input, Start: at, End: at + len(s)}}
		}
	}
	return found
}

// reasoned returns a reason and the evidence for it.
func reasoned(reason string, evidence ...eval.Evidence) eval.Judged {
	return eval.Judged{Grounds: eval.Grounds{Reason: reason, Evidence: evidence}}
}

// compared returns the reason for a ratio of two counts.
func compared(numerator, denominator int, of string) eval.Judged {
	return reasoned("numerator_text has " + wording.Count(numerator, of) + " and denominator_text has " + wording.Count(denominator, of) + ".")
}
