// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// ScorerSettings are the settings of a scorer behind an OpenAI-compatible server.
type ScorerSettings struct {
	Server Server
	Model  string
	Prices Prices
	Cache  CacheLimits
}

// Scorer asks for the log probabilities of a text with the completions API: the
// server is to echo the prompt, as vLLM and llama.cpp do and few hosted models:
// https://platform.openai.com/docs/api-reference/completions/create.
type Scorer struct {
	settings ScorerSettings
	guard    *Guard
	service  openai.CompletionService
	scores   *cache[eval.LogProbs]
}

var _ eval.LogProbModel = (*Scorer)(nil)

// NewScorer makes a scorer behind its guard.
func NewScorer(settings ScorerSettings, guard *Guard) *Scorer {
	return &Scorer{
		settings: settings, guard: guard, service: openai.NewCompletionService(settings.Server.options(maxVectors)...),
		scores: newCache(guard, settings.Cache, func(l eval.LogProbs) int { return sizeOf(l.Tokens) }),
	}
}

// LogProbs scores a text.
func (s *Scorer) LogProbs(ctx context.Context, text string) (eval.LogProbs, error) {
	if text == "" {
		return eval.LogProbs{Model: s.settings.Model}, nil
	}
	text = valid(text)
	scored, shared, err := s.scores.do(ctx, keyOf(s.settings.Model, text), func(ctx context.Context) (eval.LogProbs, error) {
		scored, used, err := send(ctx, s.guard, KindScore, len(text)/4+1, func(ctx context.Context) (eval.LogProbs, eval.Usage, error) {
			return s.exchange(ctx, text)
		})
		scored.Usage = used
		return scored, err
	})
	s.guard.cacheLookup(ctx, KindScore, s.settings.Cache, shared)
	if shared {
		scored.Cached, scored.Usage = true, eval.Usage{}
	}
	return scored, s.guard.public(err)
}

// echoed is the part of the answer that the library's type cannot tell: a
// missing log probability from 0.
type echoed struct {
	Tokens        []string   `json:"tokens"`
	TokenLogProbs []*float64 `json:"token_logprobs"`
	TextOffset    []int64    `json:"text_offset"`
}

func (s *Scorer) exchange(ctx context.Context, text string) (eval.LogProbs, eval.Usage, error) {
	res, err := exchange(ctx, s.guard.clock, func(ctx context.Context, into option.RequestOption) (*openai.Completion, error) {
		return s.service.New(ctx, openai.CompletionNewParams{
			Model:  openai.CompletionNewParamsModel(s.settings.Model),
			Prompt: openai.CompletionNewParamsPromptUnion{OfString: param.NewOpt(text)},
			Echo:   param.NewOpt(true), Logprobs: param.NewOpt[int64](1),
			// Not all servers take 0; what is written beyond the text is left out.
			MaxTokens:   param.NewOpt[int64](1),
			Temperature: param.NewOpt(0.0), Seed: param.NewOpt[int64](seed),
		}, into)
	})
	if err != nil {
		return eval.LogProbs{}, eval.Usage{}, err
	}
	used := s.settings.Prices.Of(s.settings.Model, res.Usage.PromptTokens, res.Usage.CompletionTokens)
	if len(res.Choices) == 0 {
		return eval.LogProbs{}, used, broken("the answer has no choices")
	}
	var e echoed
	if err := json.Unmarshal([]byte(res.Choices[0].Logprobs.RawJSON()), &e); err != nil {
		return eval.LogProbs{}, used, broken("the server does not echo log probabilities")
	}
	tokens, err := e.of(text, res.Usage.CompletionTokens)
	return eval.LogProbs{Tokens: tokens, Model: cleanName(res.Model, s.settings.Model)}, used, err
}

// of returns the tokens of the text but for the first, without those that were
// written after it.
func (e echoed) of(text string, written int64) ([]eval.Token, error) {
	n := len(e.Tokens)
	if n == 0 || len(e.TokenLogProbs) != n {
		return nil, broken("the server does not echo log probabilities")
	}
	end := n - int(min(max(written, 0), int64(n)))
	if len(e.TextOffset) == n {
		length := int64(utf8.RuneCountInString(text))
		for end = n; end > 0 && e.TextOffset[end-1] >= length; {
			end--
		}
	}
	if end == 0 {
		return nil, broken("the server does not echo the text")
	}
	tokens := make([]eval.Token, 0, end)
	for i := 1; i < end; i++ {
		if e.TokenLogProbs[i] == nil {
			return nil, broken("a log probability is missing")
		}
		logProb, err := logProb(*e.TokenLogProbs[i])
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, eval.Token{Text: e.Tokens[i], LogProb: logProb})
	}
	return tokens, nil
}
