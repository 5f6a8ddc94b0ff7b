// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"strings"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
)

// CustomEvaluatorRequest is an evaluator as its author writes it when it is created or
// tried. What is nil is left out.
type CustomEvaluatorRequest struct {
	Name        *string                   `json:"name" doc:"The name." schema:"required minLength=1 maxLength=255"`
	Slug        *string                   `json:"slug" doc:"Lower-case words and digits joined by hyphens; made of the name if it is left out." schema:"nullable maxLength=100"`
	Description *string                   `json:"description" doc:"What it says." schema:"nullable maxLength=4096"`
	Provider    *string                   `json:"provider" doc:"A judge of the configuration by its name. Where there is none of this name, the judge that is configured for the slug is asked." schema:"required maxLength=255"`
	Model       *string                   `json:"model" doc:"The model to ask; the configuration has to allow it." schema:"required maxLength=255"`
	Mode        *string                   `json:"mode" doc:"Kept and not used." schema:"nullable maxLength=255"`
	Messages    []EvaluatorMessageRequest `json:"messages" doc:"The messages that the judge gets." schema:"required minItems=1 maxItems=50"`
	Input       []EvaluatorFieldRequest   `json:"input_schema" doc:"What it takes." schema:"required minItems=1 maxItems=50"`
	Output      []EvaluatorFieldRequest   `json:"output_schema" doc:"What it gives." schema:"required minItems=1 maxItems=50"`

	samplingRequest
}

// EvaluatorMessageRequest is a message of a prompt as its author wrote it.
type EvaluatorMessageRequest struct {
	Role    eval.Role `json:"role" doc:"Who speaks." schema:"required" enum:"system,user,assistant"`
	Content string    `json:"content" doc:"{{name}} points to the input of that name; its value stands in a message of its own." schema:"required"`
}

// EvaluatorFieldRequest is an input or output as its author wrote it.
type EvaluatorFieldRequest struct {
	Name        string          `json:"name" doc:"The name." schema:"required" pattern:"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$" must:"1 to 64 letters, digits, \"_\", \".\" or \"-\", beginning with a letter, a digit or \"_\""`
	Type        eval.CustomType `json:"type" doc:"What kind it is." schema:"required" enum:"string,int,float,boolean,enum,number"`
	Description string          `json:"description" doc:"What it says." schema:"nullable maxLength=4096"`
	Label       string          `json:"label" doc:"What people call it." schema:"nullable maxLength=255"`
	Values      []string        `json:"enum_values" doc:"What a field of type enum may be." schema:"nullable maxItems=100" items:"schema:\"minLength=1 maxLength=255\""`
	Passes      []string        `json:"passes" doc:"The values of an output with which the text passes; of a number one bound, such as >=0.5. Where an output has it, the evaluator has one more output, pass, which says whether all of them have such values." schema:"nullable maxItems=100" items:"schema:\"minLength=1 maxLength=255\""`
}

// samplingRequest is how the model shall choose its words.
type samplingRequest struct {
	Temperature      *float64    `json:"temperature" doc:"How freely words are chosen." schema:"nullable minimum=0 maximum=2"`
	TopP             *float64    `json:"top_p" doc:"The share of likely words to choose among." schema:"nullable minimum=0 maximum=1"`
	FrequencyPenalty *float64    `json:"frequency_penalty" doc:"How much frequent words are avoided." schema:"nullable minimum=-2 maximum=2"`
	PresencePenalty  *float64    `json:"presence_penalty" doc:"How much words that were there are avoided." schema:"nullable minimum=-2 maximum=2"`
	MaxTokens        *rest.Int   `json:"max_tokens" doc:"How long an answer may be." schema:"nullable minimum=1 maximum=32768"`
	Stop             *rest.Texts `json:"stop" doc:"Texts that end an answer." schema:"nullable maxItems=4" items:"schema:\"minLength=1 maxLength=255\""`
	LogProbs         *bool       `json:"logprobs" doc:"Kept and not used." schema:"nullable"`
}

// CustomEvaluatorChange is what an update of an evaluator replaces.
type CustomEvaluatorChange struct {
	Name        *string                 `json:"name" doc:"The name." schema:"nullable maxLength=255"`
	Slug        *string                 `json:"slug" doc:"As it is: it cannot be changed." schema:"nullable"`
	Description *string                 `json:"description" doc:"What it says." schema:"nullable maxLength=4096"`
	Input       []EvaluatorFieldRequest `json:"input_schema" doc:"What it takes." schema:"nullable minItems=1 maxItems=50"`
	Output      []EvaluatorFieldRequest `json:"output_schema" doc:"What it gives." schema:"nullable minItems=1 maxItems=50"`
	Config      JudgeChange             `json:"config" doc:"How to judge." schema:"nullable"`
}

// JudgeChange says what to change of a judge.
type JudgeChange struct {
	Description *string                   `json:"description" doc:"What it says." schema:"nullable maxLength=4096"`
	Provider    *string                   `json:"provider" doc:"The name of the judge." schema:"nullable maxLength=255"`
	Mode        *string                   `json:"mode" doc:"Kept and not used." schema:"nullable maxLength=255"`
	Messages    []EvaluatorMessageRequest `json:"messages" doc:"The messages that the judge gets." schema:"nullable minItems=1 maxItems=50"`
	LLM         ModelChange               `json:"llm_config" doc:"The model and how it chooses its words." schema:"nullable"`
}

// ModelChange says what to change of a model.
type ModelChange struct {
	Model *string `json:"model" doc:"The model to ask." schema:"nullable maxLength=255"`
	samplingRequest
}

// nameUpdateField lets a refusal say where an update has what a creation has at its
// top.
func nameUpdateField(err error) error {
	const llm = "config.llm_config."
	return rest.Rename(err, map[string]string{
		"provider": "config.provider", "mode": "config.mode", "messages": "config.messages",
		"model": llm + "model", "temperature": llm + "temperature", "top_p": llm + "top_p",
		"frequency_penalty": llm + "frequency_penalty", "presence_penalty": llm + "presence_penalty",
		"max_tokens": llm + "max_tokens", "stop": llm + "stop", "logprobs": llm + "logprobs",
	})
}

// request returns an update in the form of a creation.
func (q *CustomEvaluatorChange) request() CustomEvaluatorRequest {
	description := q.Description
	if q.Config.Description != nil {
		description = q.Config.Description
	}
	return CustomEvaluatorRequest{
		Name: q.Name, Slug: q.Slug, Description: description, Provider: q.Config.Provider, Model: q.Config.LLM.Model, Mode: q.Config.Mode,
		Messages: q.Config.Messages, Input: q.Input, Output: q.Output, samplingRequest: q.Config.LLM.samplingRequest,
	}
}

// apply sets of c what the request has and leaves the rest.
func (q *CustomEvaluatorRequest) apply(c *eval.CustomEvaluator) {
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

func fieldsOf(given []EvaluatorFieldRequest) []eval.CustomField {
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
