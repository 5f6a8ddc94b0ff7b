// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/pytext"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

type wordCountRatioInput struct {
	Numerator   string `json:"numerator_text" doc:"The text that is measured." need:"required" span:"output"`
	Denominator string `json:"denominator_text" doc:"The text it is measured against." need:"required" span:"question"`
}

type wordCountRatioOutput struct {
	Ratio float64 `json:"word_ratio" doc:"Words of numerator_text for each word of denominator_text."`
	eval.Judged
}

var _ = define(eval.Definition[wordCountRatioInput, eval.None, wordCountRatioOutput]{
	Slug: "word-count-ratio",
	Doc: "Divides the number of words of one text by that of another. A word is what stands between white space. " +
		"The ratio is not rounded; a denominator_text without words is refused.",
	Run: func(_ context.Context, in wordCountRatioInput, _ eval.None) (wordCountRatioOutput, error) {
		of := pytext.CountWords(in.Denominator)
		if of == 0 {
			return wordCountRatioOutput{}, fault.New(fault.Invalid, "input.denominator_text must hold at least one word")
		}
		n := pytext.CountWords(in.Numerator)
		return wordCountRatioOutput{Ratio: float64(n) / float64(of), Judged: compared(n, of, "word")}, nil
	},
	Examples: []eval.Example{
		{About: "a short answer", Input: `{"numerator_text": "It is Paris", "denominator_text": "What is the capital of France"}`, Want: `{"word_ratio": 0.5}`},
		{About: "an empty numerator", Input: `{"numerator_text": "", "denominator_text": "word"}`, Want: `{"word_ratio": 0}`},
		{About: "a denominator of white space", Input: `{"numerator_text": "word", "denominator_text": "   "}`, Refused: "input.denominator_text must hold at least one word"},
	},
})
