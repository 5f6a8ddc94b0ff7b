// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/meaning"
)

type semanticSimilarityInput struct {
	Completion string `json:"completion" doc:"The text to judge." need:"required" span:"output"`
	Reference  string `json:"reference" doc:"What it is compared with." need:"required" span:"attribute:reference"`
}

type semanticSimilarityOutput struct {
	Score float64 `json:"similarity_score" doc:"1 for the same, 0 for nothing in common."`
	eval.Judged
}

var _ = define(eval.Definition[semanticSimilarityInput, eval.None, semanticSimilarityOutput]{
	Slug: "semantic-similarity",
	Doc: "Tells how alike two texts are. With embeddings it is the cosine of their vectors, and negative ones count as 0. " +
		"Without, it is put together from the stems that they share, the subjects that their words are of, and the words of each that the other has something near to, by vectors of English words; telling words count most, and " +
		"opposites, names and numbers are near to nothing. A negation, and who does what to whom, go unnoticed, and two texts in two languages have nothing to compare.",
	Languages: english,
	Language: func(in semanticSimilarityInput) string {
		if a, b := written(in.Completion), written(in.Reference); a != b {
			return written(in.Completion, in.Reference)
		}
		return "" // words of one language are alike or not, whichever it is
	},
	Backend: eval.Embedded,
	Run: func(_ context.Context, in semanticSimilarityInput, _ eval.None) (semanticSimilarityOutput, error) {
		score := wordLikeness(in.Completion, in.Reference)
		out := semanticSimilarityOutput{Score: score, Judged: scored(score, "The score is the similarity of the words.")}
		if score > surelyUnlike && (score < surelyAlike || !sameOrder(in.Completion, in.Reference)) {
			out.Reason, out.Uncertain = "The words are partly alike, which does not show whether the meaning is the same.", true
		}
		return out, nil
	},
	ByEmbedding: func(ctx context.Context, m eval.Models, in semanticSimilarityInput, _ eval.None) (semanticSimilarityOutput, error) {
		if in.Completion == in.Reference {
			return semanticSimilarityOutput{Score: 1}, nil
		}
		likenesses, err := embeddingLikeness(ctx, m, in.Completion, in.Reference)
		if err != nil {
			return semanticSimilarityOutput{}, err
		}
		return semanticSimilarityOutput{Score: likenesses[0]}, nil
	},
	Examples: []eval.Example{
		{About: "the same", Input: `{"completion": "Paris is the capital of France.", "reference": "Paris is the capital of France."}`, Want: `{"similarity_score": 1}`},
		{About: "the same words", Input: `{"completion": "The capitals of France: Paris!", "reference": "paris, the capital of france"}`, Want: `{"similarity_score": 1, "uncertain": true}`},
		{About: "nothing in common", Input: `{"completion": "It rained.", "reference": "Paris, France"}`, Want: `{"similarity_score": 0}`},
		{About: "other signs, and no words", Input: `{"completion": "👍", "reference": "👎"}`, Want: `{"similarity_score": 0}`},
		{About: "something and nothing", Input: `{"completion": "", "reference": "Paris"}`, Want: `{"similarity_score": 0}`},
	},
})

// Up to what likeness of their words texts have surely nothing in common, and from which on
// they surely say the same if the words come in the same order. ADR 0084 has the figures.
const (
	surelyUnlike = 0.12
	surelyAlike  = 0.75
)

// sameOrder reports whether what two texts have in common comes in the same order in both,
// and both deny as much and have the same numbers.
func sameOrder(a, b string) bool {
	x, y := plainWordsOf(a), plainWordsOf(b)
	if x.negations != y.negations || !slices.Equal(x.numbers, y.numbers) {
		return false
	}
	inBoth := func(other []string) func(string) bool {
		return func(w string) bool { return !slices.Contains(other, w) }
	}
	return slices.Equal(slices.DeleteFunc(slices.Clone(x.words), inBoth(y.words)), slices.DeleteFunc(slices.Clone(y.words), inBoth(x.words)))
}

// wordLikeness is how alike the words of two texts are.
func wordLikeness(a, b string) float64 {
	if a == b {
		return 1
	}
	this, other := meaning.Of(a), meaning.Of(b)
	if this.Wordless() && other.Wordless() && !lexical.SameSigns(a, b) {
		return 0
	}
	return meaning.Likeness(this, other)
}
