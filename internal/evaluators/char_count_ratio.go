// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

type charCountRatioInput struct {
	Numerator   string `json:"numerator_text" doc:"The text that is measured." need:"required" span:"output"`
	Denominator string `json:"denominator_text" doc:"The text it is measured against." need:"required" span:"question"`
}

type charCountRatioOutput struct {
	Ratio float64 `json:"char_ratio" doc:"Characters of numerator_text for each character of denominator_text."`
	eval.Judged
}

var _ = define(eval.Definition[charCountRatioInput, eval.None, charCountRatioOutput]{
	Slug: "char-count-ratio",
	Doc: "Divides the number of characters of one text by that of another. A character is a Unicode code point. " +
		"The ratio is not rounded; an empty denominator_text is refused.",
	Run: func(_ context.Context, in charCountRatioInput, _ eval.None) (charCountRatioOutput, error) {
		of := utf8.RuneCountInString(in.Denominator)
		if of == 0 {
			return charCountRatioOutput{}, fault.New(fault.Invalid, "input.denominator_text must not be empty")
		}
		n := utf8.RuneCountInString(in.Numerator)
		return charCountRatioOutput{Ratio: float64(n) / float64(of), Judged: compared(n, of, "character")}, nil
	},
	Examples: []eval.Example{
		{About: "an answer half as long as its question", Input: `{"numerator_text": "Four.", "denominator_text": "2+2=? now!"}`, Want: `{"char_ratio": 0.5}`},
		{About: "an empty numerator", Input: `{"numerator_text": "", "denominator_text": "word"}`, Want: `{"char_ratio": 0}`},
		{About: "an empty denominator", Input: `{"numerator_text": "word", "denominator_text": ""}`, Refused: "input.denominator_text must not be empty"},
	},
})
