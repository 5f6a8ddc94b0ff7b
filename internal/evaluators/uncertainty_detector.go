// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	_ "embed"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/linear"
	"github.com/touchstone-otel/touchstone/internal/evaluators/wording"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

type uncertaintyInput struct {
	Prompt string `json:"prompt" doc:"With a model, the prompt that it answers; without one, the text whose wording is judged." need:"required" span:"output"`
}

type uncertaintyOutput struct {
	Answer      string  `json:"answer" doc:"What the model answered; empty without one."`
	Uncertainty float64 `json:"uncertainty" doc:"With a model, the surprisal of the token it was least sure of, in nats, 0 to 100; without one, the share of sentences that hedge, 0 to 1."`
	eval.Judged
}

var (
	//go:embed uncertainty_detector_rules.txt
	hedgeRules string

	hedgePhrases = sync.OnceValue(func() *linear.Phrases { return linear.MustPhrases(hedgeRules) })
)

// maxSurprisal is where model servers' stand-ins for impossible are cut.
const maxSurprisal = 100

var _ = define(eval.Definition[uncertaintyInput, eval.None, uncertaintyOutput]{
	Slug: "uncertainty-detector",
	Doc: "With a model that gives log probabilities, lets it answer the prompt and tells how sure it was of the token it was least sure of. " +
		"Without one, nothing is answered: it tells which share of the sentences of the given text use words of doubt in English, such as \"perhaps\" or \"I am not sure\"; it is uncertain of words that may express doubt or not, such as \"may\" or \"I think\". " +
		"The two are different measures, and the backend says which it is.",
	Languages: english,
	Language:  func(in uncertaintyInput) string { return written(in.Prompt) },
	Backend:   eval.Embedded,
	Run: func(_ context.Context, in uncertaintyInput, _ eval.None) (uncertaintyOutput, error) {
		if err := in.check(); err != nil {
			return uncertaintyOutput{}, err
		}
		return hedgedShare(in.Prompt), nil
	},
	ByAnswer: func(ctx context.Context, m eval.Models, in uncertaintyInput, _ eval.None) (uncertaintyOutput, error) {
		if err := in.check(); err != nil {
			return uncertaintyOutput{}, err
		}
		answer, err := m.Answerer.Answer(ctx, in.Prompt)
		if err != nil {
			return uncertaintyOutput{}, err
		}
		out := uncertaintyOutput{Answer: answer.Text}
		for _, t := range answer.Tokens {
			if speaks(t.Text) {
				out.Uncertainty = max(out.Uncertainty, min(-t.LogProb, maxSurprisal))
			}
		}
		out.Score = eval.Scored(out.Uncertainty)
		out.Reason = "The model gave its least certain token a probability of " + strconv.FormatFloat(math.Exp(-out.Uncertainty), 'g', 2, 64) + "."
		return out, nil
	},
	Examples: []eval.Example{
		{About: "no doubt", Input: `{"prompt": "The capital of France is Paris."}`, Want: `{"answer": "", "uncertainty": 0}`},
		{About: "doubt in one sentence of two", Input: `{"prompt": "I am not sure, but it might be Lyon. It rained."}`, Want: `{"answer": "", "uncertainty": 0.5}`},
		{About: "nothing", Input: `{"prompt": ""}`, Refused: "input.prompt must not be empty"},
	},
})

// hedgedShare returns the share of the sentences of a text that have a phrase of doubt.
func hedgedShare(text string) uncertaintyOutput {
	sentences, hedged, unsure := 0, 0, 0
	var doubts pieces
	for at, s := range sentencesIn(text) {
		sentences++
		kind, where := hedgeIn(s)
		if kind == "hedge" || kind == "rather" {
			hedged++
			doubts.add(eval.Evidence{Input: "prompt", Start: at + hedgePhrases().Begin(s, where), End: at + where})
		}
		if kind == "or" || kind == "rather" {
			unsure++
		}
	}
	out := uncertaintyOutput{Uncertainty: share(hedged, sentences)}
	out.Judged = reasoned("Words of doubt appear in "+strconv.Itoa(hedged)+" of "+wording.Count(sentences, "sentence")+".", doubts.inOrder()...)
	if hedged == 0 {
		out.Reason = "No sentence contains words of doubt."
	}
	if unsure > 0 {
		out.Uncertain = true
		out.Reason = "Words that may express doubt or not appear in " + strconv.Itoa(unsure) + " of " + wording.Count(sentences, "sentence") + "."
	}
	out.Score = eval.Scored(out.Uncertainty)
	return out
}

// hedgeIn returns the surest kind of words of doubt in a sentence and where they end, ""
// without any.
func hedgeIn(sentence string) (kind string, end int) {
	hedgePhrases().Visit(sentence, func(name string, at int) bool {
		if name == "hedge" || kind == "" || kind == "or" && name == "rather" {
			kind, end = name, at
		}
		return kind != "hedge"
	})
	return kind, end
}

func (in uncertaintyInput) check() error {
	if in.Prompt == "" {
		return fault.New(fault.Invalid, "input.prompt must not be empty")
	}
	return nil
}

// speaks reports whether a token is part of what is said, and neither space nor
// a mark of the model's own such as <|end|>.
func speaks(token string) bool {
	token = strings.TrimSpace(token)
	mark := strings.HasPrefix(token, "<|") && strings.HasSuffix(token, "|>")
	return token != "" && !mark
}
