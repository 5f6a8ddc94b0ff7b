// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	_ "embed"
	"math"
	"sync"
	"unicode/utf8"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/ngram"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

type promptPerplexityInput struct {
	Prompt string `json:"prompt" doc:"The prompt to judge." need:"required" span:"question"`
}

type promptPerplexityOutput struct {
	Score float64 `json:"perplexity_score" doc:"How surprising a token of the prompt is in the mean, from 1 up to 1,000,000,000. Without a model, four characters stand for a token."`
	Peak  float64 `json:"peak_perplexity_score" doc:"The same for the most surprising passage of ten tokens or 40 characters: what was put into an ordinary prompt shows here."`
	eval.Judged
}

var (
	//go:embed weights/letters.bin
	letterCounts []byte

	letterModel = sync.OnceValue(func() *ngram.Model {
		m, err := ngram.Decode(letterCounts)
		if err != nil {
			panic(err) // A broken build.
		}
		return m
	})
)

const (
	// charactersPerToken is about how long a token of English is.
	charactersPerToken = 4
	peakTokens         = 10
	maxPerplexity      = 1e9
	// fewest is how many characters it takes to tell by: as long as a passage that a peak
	// is sought among.
	fewest = charactersPerToken * peakTokens
)

// ordinary is how surprising a character of an ordinary question is: its tokens have a
// perplexity of 136, the median of HaluEval's questions.
var ordinary = math.Log(136) / charactersPerToken

var _ = define(eval.Definition[promptPerplexityInput, eval.None, promptPerplexityOutput]{
	Slug: "prompt-perplexity",
	Doc: "Tells how surprising a prompt is to a language model. With a server that scores texts, it is e to the power of the mean negative log probability of the tokens after the first. " +
		"Without one, a small model of English letters looks at the first 4,000 characters: ordinary English scores 50 to 2,000, shuffled words more, gibberish and encoded data from about 100,000 on. " +
		"What has less than 40 characters is judged as if the rest of them were ordinary English: hi, 42 or a thumb up is no gibberish. " +
		"Other languages and scripts look like gibberish to it.",
	Languages: english,
	Language:  func(in promptPerplexityInput) string { return written(in.Prompt) },
	Backend:   eval.Embedded,
	Run: func(_ context.Context, in promptPerplexityInput, _ eval.None) (promptPerplexityOutput, error) {
		text := ngram.Prepare(in.Prompt)
		if len(text) == 0 {
			return promptPerplexityOutput{}, fault.New(fault.Invalid, "input.prompt must not be empty")
		}
		nats := perCharacter(text, letterModel().Surprisals(text))
		for len(nats) < fewest {
			nats = append(nats, ordinary)
		}
		return perplexityOfPrompt(charactersPerToken*mean(nats), charactersPerToken*peak(nats, fewest)), nil
	},
	ByScore: func(ctx context.Context, m eval.Models, in promptPerplexityInput, _ eval.None) (promptPerplexityOutput, error) {
		if lexical.Blank(in.Prompt) {
			return promptPerplexityOutput{}, fault.New(fault.Invalid, "input.prompt must not be empty")
		}
		scored, err := m.Scorer.LogProbs(ctx, in.Prompt)
		if err != nil {
			return promptPerplexityOutput{}, err
		}
		if len(scored.Tokens) == 0 {
			return promptPerplexityOutput{}, fault.New(fault.Invalid, "input.prompt must have more than one token")
		}
		nats := make([]float64, len(scored.Tokens))
		for i, t := range scored.Tokens {
			nats[i] = -t.LogProb
		}
		return perplexityOfPrompt(mean(nats), peak(nats, peakTokens)), nil
	},
	Examples: []eval.Example{
		{About: "an ordinary question", Input: `{"prompt": "What is the capital of France?"}`, Want: `{"perplexity_score": 134.6773170692309, "peak_perplexity_score": 134.6773170692309}`},
		{About: "little to tell by", Input: `{"prompt": "👍"}`, Want: `{"perplexity_score": 282.5708979787008, "peak_perplexity_score": 282.5708979787008}`},
		{About: "no prompt", Input: `{"prompt": " "}`, Refused: "input.prompt must not be empty"},
	},
})

// perCharacter sums up the surprisals of the bytes of each character, up to that of one
// byte that was never seen.
func perCharacter(text []byte, bytes []float64) []float64 {
	var all []float64
	for i := 0; i < len(text); {
		_, size := utf8.DecodeRune(text[i:])
		sum := 0.0
		for _, nats := range bytes[i : i+size] {
			sum += nats
		}
		all = append(all, min(sum, ngram.Highest))
		i += size
	}
	return all
}

// Up to what perplexity a prompt reads like ordinary English, and from which on like
// gibberish.
const (
	ordinaryPerplexity  = 2_000
	gibberishPerplexity = 100_000
)

// perplexityOfPrompt returns what the surprise of a token says, in the mean and in the most
// surprising passage.
func perplexityOfPrompt(all, passage float64) promptPerplexityOutput {
	out := promptPerplexityOutput{Score: perplexityOf(all), Peak: perplexityOf(passage)}
	switch {
	case out.Score >= gibberishPerplexity:
		out.Reason = "The prompt reads like gibberish or encoded data."
	case out.Peak >= gibberishPerplexity:
		out.Reason = "A passage of the prompt reads like gibberish or encoded data."
	case out.Peak > ordinaryPerplexity:
		out.Reason = "The prompt is less predictable than ordinary English."
	default:
		out.Reason = "The prompt reads like ordinary English."
	}
	return out
}

func perplexityOf(nats float64) float64 {
	return min(math.Exp(min(nats, maxExponent)), maxPerplexity)
}

func mean(numbers []float64) float64 {
	sum := 0.0
	for _, n := range numbers {
		sum += n
	}
	return sum / float64(len(numbers))
}

// peak is the highest mean of so many numbers in a row, or of all if they are
// fewer.
func peak(numbers []float64, width int) float64 {
	if len(numbers) <= width {
		return mean(numbers)
	}
	sum, highest := 0.0, 0.0
	for i, n := range numbers {
		sum += n
		if i >= width {
			sum -= numbers[i-width]
		}
		if i >= width-1 {
			highest = max(highest, sum)
		}
	}
	return highest / float64(width)
}
