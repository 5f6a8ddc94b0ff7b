// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/pytext"
	"github.com/touchstone-otel/touchstone/internal/evaluators/wording"
)

type wordCountInput struct {
	Text string `json:"text" doc:"The text to measure." need:"required" span:"output"`
}

type wordCountOutput struct {
	Count int `json:"word_count" doc:"The number of words in the text."`
	eval.Judged
}

var _ = define(eval.Definition[wordCountInput, eval.None, wordCountOutput]{
	Slug: "word-count",
	Doc: "Counts the words of a text. A word is what stands between white space, so punctuation counts when it stands alone " +
		"and a script that writes no spaces makes one word of a sentence.",
	Run: func(_ context.Context, in wordCountInput, _ eval.None) (wordCountOutput, error) {
		n := pytext.CountWords(in.Text)
		return wordCountOutput{Count: n, Judged: reasoned("The text has " + wording.Count(n, "word") + ".")}, nil
	},
	Examples: []eval.Example{
		{About: "plain text", Input: `{"text": "The quick brown fox"}`, Want: `{"word_count": 4}`},
		{About: "a lone hyphen is a word", Input: `{"text": "a - b"}`, Want: `{"word_count": 3}`},
		{About: "white space alone", Input: `{"text": " \t\n"}`, Want: `{"word_count": 0}`},
		{About: "no spaces, one word", Input: `{"text": "今日は良い天気です"}`, Want: `{"word_count": 1}`},
	},
})
