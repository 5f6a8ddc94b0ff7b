// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"errors"
	"math"
	"strings"

	"github.com/openai/openai-go/v3"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// Answerer is a language model that answers prompts and tells how sure it was
// of each token.
type Answerer struct {
	settings JudgeSettings
	chat     chat
	answers  *cache[eval.Answer]
}

var _ eval.AnswerModel = (*Answerer)(nil)

// NewAnswerer makes an answerer of the model that also judges. Both share the
// guard.
func NewAnswerer(settings JudgeSettings, guard *Guard) *Answerer {
	return &Answerer{
		settings: settings,
		chat:     chat{guard: guard, prices: settings.Prices, service: openai.NewChatCompletionService(settings.Server.options(maxAnswer)...)},
		answers: newCache(guard, settings.Cache, func(a eval.Answer) int {
			return len(a.Text) + sizeOf(a.Tokens)
		}),
	}
}

// Answer sends the prompt as it is, as a user's message: answering it is the
// task. An answer that reaches the token limit is an answer.
func (a *Answerer) Answer(ctx context.Context, prompt string) (eval.Answer, error) {
	answer, shared, err := a.answers.do(ctx, keyOf(a.settings.Model, prompt), func(ctx context.Context) (eval.Answer, error) {
		return a.ask(ctx, prompt)
	})
	a.chat.guard.cacheLookup(ctx, KindAnswer, a.settings.Cache, shared)
	if shared {
		answer.Cached, answer.Usage = true, eval.Usage{}
	}
	return answer, a.chat.guard.public(err)
}

func (a *Answerer) ask(ctx context.Context, prompt string) (eval.Answer, error) {
	got, used, err := a.chat.ask(ctx, chatRequest{
		kind: KindAnswer, model: a.settings.Model, maxTokens: a.settings.MaxTokens, logProbs: true,
		messages: func(bool) ([]message, error) { return []message{{roleUser, valid(prompt)}}, nil },
	})
	if err != nil {
		return eval.Answer{Usage: used}, err
	}
	if got.choice.Message.Refusal != "" || got.choice.FinishReason == "content_filter" {
		return eval.Answer{Usage: used}, unusable(errDeclined)
	}
	// Texts of their own, as the name of the model is.
	answer := eval.Answer{Text: strings.Clone(got.choice.Message.Content), Model: got.model, Usage: used}
	for _, t := range got.choice.Logprobs.Content {
		logProb, err := logProb(t.Logprob)
		if err != nil {
			return eval.Answer{Usage: used}, err
		}
		answer.Tokens = append(answer.Tokens, eval.Token{Text: strings.Clone(t.Token), LogProb: logProb})
	}
	if len(answer.Tokens) == 0 {
		return eval.Answer{Usage: used}, &failure{reason: ReasonBroken, cause: errors.New("the server gives no log probabilities")}
	}
	return answer, nil
}

// logProb checks a number that a server calls a log probability. Rounding may
// make it a little more than 0.
func logProb(n float64) (float64, error) {
	if math.IsNaN(n) || math.IsInf(n, 0) || n > 1e-3 {
		return 0, broken("a log probability is not one")
	}
	return min(n, 0), nil
}

func sizeOf(tokens []eval.Token) int {
	n := 0
	for _, t := range tokens {
		n += len(t.Text) + 24
	}
	return n
}
