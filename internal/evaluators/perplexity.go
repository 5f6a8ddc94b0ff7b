// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"math"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/logprobs"
	"github.com/touchstone-otel/touchstone/internal/evaluators/wording"
)

type perplexityInput struct {
	Logprobs eval.JSONText[logprobs.List] `json:"logprobs" doc:"The natural logarithms of the tokens' probabilities: a JSON array of numbers or of objects with a logprob, or an object whose content is such an array." need:"required" span:"logprobs"`
}

type perplexityOutput struct {
	Score float64 `json:"perplexity_score" doc:"1 for a model that was sure of every token; higher is less sure."`
	eval.Judged
}

// Perplexity: https://doi.org/10.1121/1.2016299 (Jelinek et al., 1977).

// maxExponent keeps the score a finite number.
const maxExponent = 700

var _ = define(eval.Definition[perplexityInput, eval.None, perplexityOutput]{
	Slug: "perplexity",
	Doc: "Tells how sure a model was of what it wrote: e to the power of the mean negative log probability of the tokens. " +
		"The exponent is held at 700, so that the score stays a number.",
	Run: func(_ context.Context, in perplexityInput, _ eval.None) (perplexityOutput, error) {
		tokens := in.Logprobs.Value
		sum := 0.0
		for _, p := range tokens {
			sum += float64(p)
		}
		score := math.Exp(min(-sum/float64(len(tokens)), maxExponent))
		mean := strconv.FormatFloat(1/score, 'g', 2, 64)
		return perplexityOutput{Score: score, Judged: reasoned("The mean probability of " + wording.Count(len(tokens), "token") + " is " + mean + ".")}, nil
	},
	Examples: []eval.Example{
		{About: "log probabilities as text", Input: `{"logprobs": "[-2.3, -1.5, -0.8, -1.2, -0.5]"}`, Want: `{"perplexity_score": 3.5254214873653824}`},
		{About: "as a model server gives them", Input: `{"logprobs": {"content": [{"token": "Yes", "logprob": 0}, {"token": ".", "logprob": 0}]}}`, Want: `{"perplexity_score": 1}`},
		{About: "no tokens", Input: `{"logprobs": "[]"}`, Refused: "input.logprobs must hold at least one log probability"},
		{About: "a probability where its logarithm belongs", Input: `{"logprobs": "[0.9]"}`, Refused: "input.logprobs must hold log probabilities, which are <= 0"},
	},
})
