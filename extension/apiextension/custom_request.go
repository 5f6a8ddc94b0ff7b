// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
)

// customRequest is an evaluator as its author writes it when it is created.
type customRequest struct {
	Name        *string         `json:"name"`
	Slug        *string         `json:"slug"`
	Description *string         `json:"description"`
	Provider    *string         `json:"provider"`
	Model       *string         `json:"model"`
	Mode        *string         `json:"mode"`
	Messages    json.RawMessage `json:"messages"`
	Input       json.RawMessage `json:"input_schema"`
	Output      json.RawMessage `json:"output_schema"`

	samplingRequest
}

// samplingRequest is how the model shall choose its words.
type samplingRequest struct {
	Temperature      json.RawMessage `json:"temperature"`
	TopP             json.RawMessage `json:"top_p"`
	FrequencyPenalty json.RawMessage `json:"frequency_penalty"`
	PresencePenalty  json.RawMessage `json:"presence_penalty"`
	MaxTokens        json.RawMessage `json:"max_tokens"`
	Stop             json.RawMessage `json:"stop"`
	LogProbs         json.RawMessage `json:"logprobs"`
}

// customChange is what an update of an evaluator replaces.
type customChange struct {
	Name        *string         `json:"name"`
	Slug        *string         `json:"slug"`
	Description *string         `json:"description"`
	Input       json.RawMessage `json:"input_schema"`
	Output      json.RawMessage `json:"output_schema"`
	Config      json.RawMessage `json:"config"`
}

// customConfigChange is the part of an update that is about the judge.
type customConfigChange struct {
	Description *string         `json:"description"`
	Provider    *string         `json:"provider"`
	Mode        *string         `json:"mode"`
	Messages    json.RawMessage `json:"messages"`
	LLM         json.RawMessage `json:"llm_config"`
}

// inChange lets a refusal say where an update has what a creation has at its
// top.
func inChange(err error) error {
	const llm = "config.llm_config."
	return asWritten(err, map[string]string{
		"provider": "config.provider", "mode": "config.mode", "messages": "config.messages",
		"model": llm + "model", "temperature": llm + "temperature", "top_p": llm + "top_p",
		"frequency_penalty": llm + "frequency_penalty", "presence_penalty": llm + "presence_penalty",
		"max_tokens": llm + "max_tokens", "stop": llm + "stop", "logprobs": llm + "logprobs",
	})
}

// request gives an update the form of a creation.
func (q *customChange) request() (customRequest, error) {
	var config customConfigChange
	if !absent(q.Config) {
		if err := decodeObject("config", q.Config, &config); err != nil {
			return customRequest{}, err
		}
	}
	var llm struct {
		Model *string `json:"model"`
		samplingRequest
	}
	if !absent(config.LLM) {
		if err := decodeObject("config.llm_config", config.LLM, &llm); err != nil {
			return customRequest{}, err
		}
	}
	description := q.Description
	if config.Description != nil {
		description = config.Description
	}
	return customRequest{
		Name: q.Name, Slug: q.Slug, Description: description, Provider: config.Provider, Model: llm.Model, Mode: config.Mode,
		Messages: config.Messages, Input: q.Input, Output: q.Output, samplingRequest: llm.samplingRequest,
	}, nil
}

// apply sets of c what the request has. What is null is left as it is.
func (q *customRequest) apply(c *eval.Custom) error {
	for _, f := range [...]struct {
		given *string
		field *string
	}{
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
	for _, parse := range []func(*eval.Custom) error{q.applyMessages, q.applySchemas, q.applyNumbers, q.applyStop, q.applyLogProbs} {
		if err := parse(c); err != nil {
			return err
		}
	}
	return nil
}

func (q *customRequest) applyMessages(c *eval.Custom) error {
	if absent(q.Messages) {
		return nil
	}
	list, err := items("messages", q.Messages)
	if err != nil {
		return err
	}
	c.Messages = make([]eval.CustomMessage, len(list))
	for i, item := range list {
		var m struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		}
		if err := decodeObject(fmt.Sprintf("messages[%d]", i), item, &m); err != nil {
			return err
		}
		c.Messages[i] = eval.CustomMessage{Role: eval.Role(m.Role), Content: m.Content}
	}
	return nil
}

func (q *customRequest) applySchemas(c *eval.Custom) error {
	var err error
	if !absent(q.Input) {
		if c.Input, err = parseSchema("input_schema", q.Input); err != nil {
			return err
		}
	}
	if !absent(q.Output) {
		c.Output, err = parseSchema("output_schema", q.Output)
	}
	return err
}

func parseSchema(path string, raw json.RawMessage) ([]eval.CustomField, error) {
	list, err := items(path, raw)
	if err != nil {
		return nil, err
	}
	fields := make([]eval.CustomField, len(list))
	for i, item := range list {
		path := fmt.Sprintf("%s[%d]", path, i)
		var f struct {
			Name        string          `json:"name"`
			Type        string          `json:"type"`
			Description string          `json:"description"`
			Label       string          `json:"label"`
			Values      json.RawMessage `json:"enum_values"`
		}
		if err := decodeObject(path, item, &f); err != nil {
			return nil, err
		}
		values, err := parseTexts(path+".enum_values", f.Values)
		if err != nil {
			return nil, err
		}
		fields[i] = eval.CustomField{
			Name: f.Name, Type: eval.CustomType(f.Type), Description: f.Description, Label: f.Label, Values: values,
		}
	}
	return fields, nil
}

// parseTexts takes a list of strings; an empty one is none.
func parseTexts(path string, raw json.RawMessage) ([]string, error) {
	if absent(raw) {
		return nil, nil
	}
	list, err := items(path, raw)
	if err != nil {
		return nil, err
	}
	var texts []string
	for i, item := range list {
		var text string
		if kindOf(item) != '"' || json.Unmarshal(item, &text) != nil {
			return nil, fault.New(fault.Invalid, "%s[%d] must be a string", path, i)
		}
		texts = append(texts, text)
	}
	return texts, nil
}

func (q *customRequest) applyNumbers(c *eval.Custom) error {
	s := &c.Sampling
	for _, f := range [...]struct {
		name  string
		raw   json.RawMessage
		field **float64
	}{
		{"temperature", q.Temperature, &s.Temperature},
		{"top_p", q.TopP, &s.TopP},
		{"frequency_penalty", q.FrequencyPenalty, &s.FrequencyPenalty},
		{"presence_penalty", q.PresencePenalty, &s.PresencePenalty},
	} {
		if absent(f.raw) {
			continue
		}
		n, err := strconv.ParseFloat(string(f.raw), 64)
		if err != nil {
			return fault.New(fault.Invalid, "%s must be a number", f.name)
		}
		*f.field = &n
	}
	if absent(q.MaxTokens) {
		return nil
	}
	n, err := strconv.ParseInt(string(q.MaxTokens), 10, 64)
	if err != nil || n < 1 {
		return fault.New(fault.Invalid, "max_tokens must be a positive integer")
	}
	s.MaxTokens = n
	return nil
}

// applyStop takes one text too, as the servers of models do.
func (q *customRequest) applyStop(c *eval.Custom) (err error) {
	switch {
	case absent(q.Stop):
	case kindOf(q.Stop) == '"':
		c.Sampling.Stop, err = parseTexts("stop", json.RawMessage("["+string(q.Stop)+"]"))
	default:
		c.Sampling.Stop, err = parseTexts("stop", q.Stop)
	}
	return err
}

func (q *customRequest) applyLogProbs(c *eval.Custom) error {
	if absent(q.LogProbs) {
		return nil
	}
	if json.Unmarshal(q.LogProbs, &c.LogProbs) != nil {
		return fault.New(fault.Invalid, "logprobs must be a boolean")
	}
	return nil
}
