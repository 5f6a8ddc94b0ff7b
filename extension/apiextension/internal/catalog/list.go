// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// origin says who defined an evaluator.
type origin string

const (
	ofUsers origin = "custom"
	ofOurs  origin = "prebuilt"
	anyone  origin = ""
)

// typePrebuilt is the type of every evaluator of ours.
const typePrebuilt = "PREBUILT"

// evaluatorItem is an evaluator as lists show it.
type evaluatorItem struct {
	ID           string       `json:"id"`
	Slug         string       `json:"slug"`
	Name         string       `json:"name"`
	Type         string       `json:"type"`
	Description  string       `json:"description"`
	Version      string       `json:"version"`
	Source       origin       `json:"source"`
	InputSchema  any          `json:"input_schema"`
	OutputSchema any          `json:"output_schema"`
	ConfigSchema []eval.Field `json:"config_schema,omitempty"`
	Languages    []string     `json:"languages,omitempty"`
	// Backends are what may judge, the best first, whether or not it is configured.
	Backends []eval.Backend `json:"backends"`

	// Of custom evaluators only.
	Config    *shownJudge `json:"config,omitempty"`
	CreatedAt string      `json:"created_at,omitempty"`
	UpdatedAt string      `json:"updated_at,omitempty"`
}

// shownJudge is what a custom evaluator tells its judge.
type shownJudge struct {
	Provider string         `json:"provider"`
	Mode     string         `json:"mode,omitempty"`
	Messages []shownMessage `json:"messages"`
	LLM      shownModel     `json:"llm_config"`
}

type shownMessage struct {
	Role    eval.Role `json:"role"`
	Content string    `json:"content"`
}

type shownModel struct {
	Model            string   `json:"model"`
	Temperature      *float64 `json:"temperature,omitempty"`
	TopP             *float64 `json:"top_p,omitempty"`
	FrequencyPenalty *float64 `json:"frequency_penalty,omitempty"`
	PresencePenalty  *float64 `json:"presence_penalty,omitempty"`
	MaxTokens        int64    `json:"max_tokens,omitempty"`
	Stop             []string `json:"stop,omitempty"`
	LogProbs         bool     `json:"logprobs,omitempty"`
}

// shownField is a field of a custom evaluator as its author wrote it.
type shownField struct {
	Name        string          `json:"name"`
	Type        eval.CustomType `json:"type"`
	Description string          `json:"description,omitempty"`
	Label       string          `json:"label,omitempty"`
	Values      []string        `json:"enum_values,omitempty"`
	Passes      []string        `json:"passes,omitempty"`
}

type evaluatorList struct {
	Evaluators []evaluatorItem `json:"evaluators"`
}

func (a *API) list(r *http.Request, env tenant.Environment) (rest.Response, error) {
	values, err := rest.Query(r)
	if err != nil {
		return rest.Response{}, err
	}
	source := origin(values.Get("source"))
	if source != ofUsers && source != ofOurs && source != anyone {
		return rest.Response{}, fault.New(fault.Invalid, "source must be %s or %s", ofUsers, ofOurs)
	}
	list := evaluatorList{Evaluators: []evaluatorItem{}}
	if source != ofUsers {
		for _, e := range a.Evaluators.Prebuilt() {
			list.Evaluators = append(list.Evaluators, show(e))
		}
	}
	if source != ofOurs {
		custom, err := a.Evaluators.Custom(r.Context(), env.ID)
		if err != nil {
			return rest.Response{}, err
		}
		for _, e := range custom {
			list.Evaluators = append(list.Evaluators, show(e))
		}
	}
	return rest.OK(list), nil
}

func (a *API) get(r *http.Request, env tenant.Environment) (rest.Response, error) {
	e, err := a.Evaluators.Find(r.Context(), env.ID, rest.PathValue(r, "slug"))
	if err != nil {
		return rest.Response{}, err
	}
	return rest.OK(show(e)), nil
}

// show returns an evaluator as lists have it. The slug of a prebuilt one is its
// id.
func show(e *eval.Evaluator) evaluatorItem {
	if e.Custom != nil {
		item := showCustom(e.Custom)
		item.Backends = e.Backends()
		return item
	}
	return evaluatorItem{
		ID: e.Slug, Slug: e.Slug, Name: e.Slug, Type: typePrebuilt, Description: e.Doc, Version: e.VersionName(), Source: ofOurs,
		InputSchema: e.Input, OutputSchema: e.Output, ConfigSchema: e.Config, Languages: e.Languages, Backends: e.Backends(),
	}
}

func showCustom(c *eval.CustomEvaluator) evaluatorItem {
	judge := &shownJudge{
		Provider: c.Provider, Mode: c.Mode, Messages: make([]shownMessage, len(c.Messages)),
		LLM: shownModel{
			Model: c.Model, Temperature: c.Sampling.Temperature, TopP: c.Sampling.TopP,
			FrequencyPenalty: c.Sampling.FrequencyPenalty, PresencePenalty: c.Sampling.PresencePenalty,
			MaxTokens: c.Sampling.MaxTokens, Stop: c.Sampling.Stop, LogProbs: c.LogProbs,
		},
	}
	for i, m := range c.Messages {
		judge.Messages[i] = shownMessage(m)
	}
	return evaluatorItem{
		ID: c.ID, Slug: c.Slug, Name: c.Name, Type: typeJudge, Description: c.Description, Version: c.VersionName(), Source: ofUsers,
		InputSchema: showFields(c.Input), OutputSchema: showFields(c.Output), Config: judge,
		CreatedAt: rest.Time(c.CreatedAt), UpdatedAt: rest.Time(c.UpdatedAt),
	}
}

func showFields(fields []eval.CustomField) []shownField {
	shown := make([]shownField, len(fields))
	for i, f := range fields {
		shown[i] = shownField(f)
	}
	return shown
}
