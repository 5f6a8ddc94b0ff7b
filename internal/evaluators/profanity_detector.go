// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	_ "embed"
	"strings"
	"sync"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/linear"
)

type profanityDetectorInput struct {
	Text string `json:"text" doc:"The text to judge." need:"required" span:"output"`
}

type profanityDetectorOutput struct {
	Safe bool `json:"is_safe" doc:"Whether the text is free of profanity."`
}

var (
	//go:embed weights/profanity.bin
	profanityWeights []byte
	// A term in a line, in the words that texts are read as.
	//
	//go:embed weights/profanity.txt
	profanityTerms string

	profanityModel   = sync.OnceValue(func() *linear.Model { return linear.MustDecode(profanityWeights) })
	profanityLexicon = sync.OnceValue(func() *linear.Phrases {
		terms := strings.Split(strings.TrimSpace(profanityTerms), "\n")
		return linear.MustPhrases("term: " + strings.Join(terms, "\nterm: "))
	})
)

// profane is the probability from which the model calls a text profane.
const profane = 0.5

var _ = define(eval.Definition[profanityDetectorInput, eval.None, profanityDetectorOutput]{
	Slug: "profanity-detector",
	Doc: "Tells whether a text holds profanity: a term of a lexicon of English, spelled plainly or in disguise, " +
		"or language that a small model knows from offensive posts, passage by passage. Mild words and those with a harmless meaning are not in the lexicon. " +
		"Profane is not the same as hostile: polite abuse passes, and swearing among friends does not.",
	Languages:    english,
	Language:     func(in profanityDetectorInput) string { return written(in.Text) },
	Backend:      eval.Embedded,
	ByClassifier: classifyProfanity,
	Run: func(_ context.Context, in profanityDetectorInput, _ eval.None) (profanityDetectorOutput, error) {
		_, found := profanityLexicon().Find(in.Text)
		return profanityDetectorOutput{Safe: !found && profanityModel().Probability(in.Text) < profane}, nil
	},
	Examples: []eval.Example{
		{About: "clean", Input: `{"text": "Could you please send me the report?"}`, Want: `{"is_safe": true}`},
		{About: "profane", Input: `{"text": "What the fuck is this shit?"}`, Want: `{"is_safe": false}`},
		{About: "letters in disguise", Input: `{"text": "you b1tch"}`, Want: `{"is_safe": false}`},
		{About: "a word within a harmless one", Input: `{"text": "The class in Scunthorpe assessed the shiitake."}`, Want: `{"is_safe": true}`},
		{About: "nothing said, nothing wrong", Input: `{"text": ""}`, Want: `{"is_safe": true}`},
	},
})
