// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// seed is the same for all requests: what can be repeated is.
const seed = 1

// chat is the chat completions API of one server behind its guard:
// https://platform.openai.com/docs/api-reference/chat/create.
type chat struct {
	guard        *Guard
	prices       Prices
	service      openai.ChatCompletionService
	capabilities capabilities
}

// chatRequest is one request before it is fitted to what the server understands.
type chatRequest struct {
	kind      Kind
	model     string
	messages  func(described bool) ([]message, error)
	schema    json.RawMessage // nil asks for text
	maxTokens int64
	sampling  eval.Sampling
	logProbs  bool
	likely    int64 // with logProbs: how many other tokens of each place
}

// chatAnswer is what came back.
type chatAnswer struct {
	model  string
	choice openai.ChatCompletionChoice
}

// ask sends a request with the parameters that the server understands, which it
// finds out. The error is a *failure or a mistake in the request.
func (c *chat) ask(ctx context.Context, r chatRequest) (chatAnswer, eval.Usage, error) {
	var total eval.Usage
	asked := c.capabilities.of(r.model, c.guard.clock.Now())
	assumed := asked
	if r.schema == nil {
		assumed.format = formatText
	}
	for tried := 1; ; tried++ {
		messages, err := r.messages(assumed.format != formatSchema)
		if err != nil {
			return chatAnswer{}, total, err
		}
		params := r.params(assumed, messages)
		answer, used, err := send(ctx, c.guard, r.kind, tokensOf(messages), func(ctx context.Context) (chatAnswer, eval.Usage, error) {
			return c.exchange(ctx, r.model, params)
		})
		total = total.Add(used)
		if err == nil {
			if r.schema != nil {
				c.capabilities.keep(r.model, asked, assumed, c.guard.clock.Now())
			}
			return answer, total, nil
		}
		next, ok := assumed.learn(asFailure(err))
		if !ok || tried == mostCapabilities {
			return chatAnswer{}, total, err
		}
		assumed = next
	}
}

func (c *chat) exchange(ctx context.Context, model string, params openai.ChatCompletionNewParams) (chatAnswer, eval.Usage, error) {
	res, err := exchange(ctx, c.guard.clock, func(ctx context.Context, into option.RequestOption) (*openai.ChatCompletion, error) {
		return c.service.New(ctx, params, into)
	})
	if err != nil {
		return chatAnswer{}, eval.Usage{}, err
	}
	used := c.prices.Of(model, res.Usage.PromptTokens, res.Usage.CompletionTokens)
	if len(res.Choices) == 0 {
		return chatAnswer{}, used, broken("the answer has no choices")
	}
	return chatAnswer{model: cleanName(res.Model, model), choice: res.Choices[0]}, used, nil
}

// cleanName returns the server's name of the model, or ours if it gives none
// that looks like one. It is no part of the response, which the client's texts are and which
// would stay in memory with it.
func cleanName(theirs, ours string) string {
	if theirs == "" || len(theirs) > 200 {
		return ours
	}
	for _, r := range theirs {
		if r < ' ' || r == 0xFFFD {
			return ours
		}
	}
	return strings.Clone(theirs)
}

func (r chatRequest) params(d serverCapabilities, messages []message) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{Model: r.model, Messages: make([]openai.ChatCompletionMessageParamUnion, len(messages))}
	for i, m := range messages {
		switch m.role {
		case roleSystem:
			p.Messages[i] = openai.SystemMessage(m.text)
		case roleAssistant:
			p.Messages[i] = openai.AssistantMessage(m.text)
		default:
			p.Messages[i] = openai.UserMessage(m.text)
		}
	}
	if d.newTokens {
		p.MaxCompletionTokens = param.NewOpt(r.maxTokens)
	} else {
		p.MaxTokens = param.NewOpt(r.maxTokens)
	}
	if !d.noTemperature {
		p.Temperature = param.NewOpt(0.0)
		if t := r.sampling.Temperature; t != nil {
			p.Temperature = param.NewOpt(*t)
		}
	}
	if !d.noSeed {
		p.Seed = param.NewOpt[int64](seed)
	}
	sample(r.sampling, &p)
	switch {
	case r.schema == nil:
	case d.format == formatSchema:
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
				Name: "verdict", Strict: param.NewOpt(true), Schema: r.schema,
			},
		}
	case d.format == formatObject:
		p.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	}
	if r.logProbs {
		p.Logprobs = param.NewOpt(true)
		if r.likely > 0 {
			p.TopLogprobs = param.NewOpt(r.likely)
		}
	}
	return p
}

// sample writes what a question asks for beyond the temperature.
func sample(s eval.Sampling, p *openai.ChatCompletionNewParams) {
	for _, o := range []struct {
		from *float64
		to   *param.Opt[float64]
	}{{s.TopP, &p.TopP}, {s.FrequencyPenalty, &p.FrequencyPenalty}, {s.PresencePenalty, &p.PresencePenalty}} {
		if o.from != nil {
			*o.to = param.NewOpt(*o.from)
		}
	}
	p.Stop.OfStringArray = s.Stop
}
