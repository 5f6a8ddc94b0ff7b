// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/wording"
)

type charCountInput struct {
	Text string `json:"text" doc:"The text to measure." need:"required" span:"output"`
}

type charCountOutput struct {
	Count int `json:"char_count" doc:"The number of characters in the text."`
	eval.Judged
}

// A character is a code point: "é" counts once however many bytes it takes.
var _ = define(eval.Definition[charCountInput, eval.None, charCountOutput]{
	Slug: "char-count",
	Doc: "Counts the characters of a text. A character is a Unicode code point: neither a byte nor what a reader sees as one sign. " +
		"Nothing is trimmed or normalised.",
	Run: func(_ context.Context, in charCountInput, _ eval.None) (charCountOutput, error) {
		n := utf8.RuneCountInString(in.Text)
		return charCountOutput{Count: n, Judged: reasoned("The text has " + wording.Count(n, "character") + ".")}, nil
	},
	Examples: []eval.Example{
		{About: "plain text", Input: `{"text": "hello"}`, Want: `{"char_count": 5}`},
		{About: "code points, not bytes", Input: `{"text": "né"}`, Want: `{"char_count": 2}`},
		{About: "a letter and its combining accent are two", Input: `{"text": "a\u0301"}`, Want: `{"char_count": 2}`},
		{About: "an empty text is a text", Input: `{"text": ""}`, Want: `{"char_count": 0}`},
		{About: "no text", Input: `{"text": null}`, Refused: "input.text is required"},
	},
})
