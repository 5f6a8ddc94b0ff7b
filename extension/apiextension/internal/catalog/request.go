// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"strings"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
)

// Definition is an evaluator as its author writes it when it is created or
// tried. What is nil is left out.
type Definition struct {
	Name        *string          `json:"name"`
	Slug        *string          `json:"slug"`
	Description *string          `json:"description"`
	Provider    *string          `json:"provider"`
	Model       *string          `json:"model"`
	Mode        *string          `json:"mode"`
	Messages    []messageRequest `json:"messages"`
	Input       []fieldRequest   `json:"input_schema"`
	Output      []fieldRequest   `json:"output_schema"`

	samplingRequest
}

type messageRequest struct {
	Role    eval.Role `json:"role"`
	Content string    `json:"content"`
}

type fieldRequest struct {
	Name        string          `json:"name"`
	Type        eval.CustomType `json:"type"`
	Description string          `json:"description"`
	Label       string          `json:"label"`
	Values      []string        `json:"enum_values"`
	Passes      []string        `json:"passes"`
}

// samplingRequest is how the model shall choose its words.
type samplingRequest struct {
	Temperature      *float64    `json:"temperature"`
	TopP             *float64    `json:"top_p"`
	FrequencyPenalty *float64    `json:"frequency_penalty"`
	PresencePenalty  *float64    `json:"presence_penalty"`
	MaxTokens        *rest.Int   `json:"max_tokens"`
	Stop             *rest.Texts `json:"stop"`
	LogProbs         *bool       `json:"logprobs"`
}

// customChange is what an update of an evaluator replaces.
type customChange struct {
	Name        *string        `json:"name"`
	Slug        *string        `json:"slug"`
	Description *string        `json:"description"`
	Input       []fieldRequest `json:"input_schema"`
	Output      []fieldRequest `json:"output_schema"`
	Config      struct {
		Description *string          `json:"description"`
		Provider    *string          `json:"provider"`
		Mode        *string          `json:"mode"`
		Messages    []messageRequest `json:"messages"`
		LLM         struct {
			Model *string `json:"model"`
			samplingRequest
		} `json:"llm_config"`
	} `json:"config"`
}

// renameField lets a refusal say where an update has what a creation has at its
// top.
func renameField(err error) error {
	const llm = "config.llm_config."
	return rest.Rename(err, map[string]string{
		"provider": "config.provider", "mode": "config.mode", "messages": "config.messages",
		"model": llm + "model", "temperature": llm + "temperature", "top_p": llm + "top_p",
		"frequency_penalty": llm + "frequency_penalty", "presence_penalty": llm + "presence_penalty",
		"max_tokens": llm + "max_tokens", "stop": llm + "stop", "logprobs": llm + "logprobs",
	})
}

// request returns an update in the form of a creation.
func (q *customChange) request() Definition {
	description := q.Description
	if q.Config.Description != nil {
		description = q.Config.Description
	}
	return Definition{
		Name: q.Name, Slug: q.Slug, Description: description, Provider: q.Config.Provider, Model: q.Config.LLM.Model, Mode: q.Config.Mode,
		Messages: q.Config.Messages, Input: q.Input, Output: q.Output, samplingRequest: q.Config.LLM.samplingRequest,
	}
}

// apply sets of c what the request has and leaves the rest.
func (q *Definition) apply(c *eval.CustomEvaluator) {
	for _, f := range [...]struct{ given, field *string }{
		{q.Name, &c.Name},
		{q.Slug, &c.Slug},
		{q.Description, &c.Description},
		{q.Provider, &c.Provider},
		{q.Model, &c.Model},
		{q.Mode, &c.Mode},
	} {
		if f.given != nil {
			*f.field = strings.TrimSpace(*f.given)
		}
	}
	if q.Messages != nil {
		c.Messages = make([]eval.CustomMessage, len(q.Messages))
		for i, m := range q.Messages {
			c.Messages[i] = eval.CustomMessage(m)
		}
	}
	if q.Input != nil {
		c.Input = fieldsOf(q.Input)
	}
	if q.Output != nil {
		c.Output = fieldsOf(q.Output)
	}
	q.samplingRequest.apply(c)
}

func fieldsOf(given []fieldRequest) []eval.CustomField {
	fields := make([]eval.CustomField, len(given))
	for i, f := range given {
		if len(f.Values) == 0 {
			f.Values = nil
		}
		if len(f.Passes) == 0 {
			f.Passes = nil
		}
		fields[i] = eval.CustomField(f)
	}
	return fields
}

func (q *samplingRequest) apply(c *eval.CustomEvaluator) {
	s := &c.Sampling
	for _, f := range [...]struct {
		given *float64
		field **float64
	}{
		{q.Temperature, &s.Temperature},
		{q.TopP, &s.TopP},
		{q.FrequencyPenalty, &s.FrequencyPenalty},
		{q.PresencePenalty, &s.PresencePenalty},
	} {
		if f.given != nil {
			*f.field = f.given
		}
	}
	if q.MaxTokens != nil {
		s.MaxTokens = int64(*q.MaxTokens)
	}
	if q.Stop != nil {
		s.Stop = nil
		if len(*q.Stop) > 0 {
			s.Stop = *q.Stop
		}
	}
	if q.LogProbs != nil {
		c.LogProbs = *q.LogProbs
	}
}
