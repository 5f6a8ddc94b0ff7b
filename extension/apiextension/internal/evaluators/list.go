// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"encoding/json"
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

// Evaluator is an evaluator as lists show it.
type Evaluator struct {
	ID           string         `json:"id" doc:"Identifies it; of prebuilt evaluators the slug."`
	Slug         string         `json:"slug" doc:"Names it in paths."`
	Name         string         `json:"name" doc:"The name."`
	Type         string         `json:"type" doc:"What kind it is." enum:"PREBUILT,LLM_AS_A_JUDGE"`
	Description  string         `json:"description" doc:"What it says."`
	Version      string         `json:"version" doc:"The latest version."`
	Source       origin         `json:"source" doc:"Who defined it." enum:"custom,prebuilt"`
	InputSchema  fieldList      `json:"input_schema" doc:"What it takes."`
	OutputSchema fieldList      `json:"output_schema" doc:"What it takes."`
	ConfigSchema []eval.Field   `json:"config_schema,omitempty" doc:"What config takes; of prebuilt evaluators."`
	Languages    []string       `json:"languages,omitempty" doc:"The languages that it knows without a model, in ISO 639-1; absent where it knows any."`
	Backends     []eval.Backend `json:"backends" doc:"What may judge, the best first, whether or not it is configured." schema:"minItems=1" items:"enum:\"deterministic,embedded,judge,embedding,classifier\""`

	// Of custom evaluators only.
	Config    *EvaluatorJudge `json:"config,omitempty"`
	CreatedAt string          `json:"created_at,omitempty" doc:"When it was created." schema:"format=date-time"`
	UpdatedAt string          `json:"updated_at,omitempty" doc:"When this version was made." schema:"format=date-time"`
}

// EvaluatorJudge is what a custom evaluator tells its judge.
type EvaluatorJudge struct {
	_ struct{} `doc:"What a custom evaluator tells its judge."`

	Provider string             `json:"provider" doc:"The name of the judge."`
	Mode     string             `json:"mode,omitempty" doc:"Kept and not used."`
	Messages []EvaluatorMessage `json:"messages" doc:"The messages that the judge gets." schema:"minItems=1 maxItems=50"`
	LLM      EvaluatorModel     `json:"llm_config"`
}

// EvaluatorMessage is a message of a judge's prompt.
type EvaluatorMessage struct {
	_ struct{} `schema:"open"`

	Role    eval.Role `json:"role" doc:"Who speaks." enum:"system,user,assistant"`
	Content string    `json:"content" doc:"{{name}} points to the input of that name; its value stands in a message of its own."`
}

// EvaluatorModel says which model judges, and how it is asked.
type EvaluatorModel struct {
	Model            string   `json:"model" doc:"The model to ask."`
	Temperature      *float64 `json:"temperature,omitempty" doc:"How freely words are chosen."`
	TopP             *float64 `json:"top_p,omitempty" doc:"The share of likely words to choose among."`
	FrequencyPenalty *float64 `json:"frequency_penalty,omitempty" doc:"How much frequent words are avoided."`
	PresencePenalty  *float64 `json:"presence_penalty,omitempty" doc:"How much words that were there are avoided."`
	MaxTokens        int64    `json:"max_tokens,omitempty" doc:"How long an answer may be."`
	Stop             []string `json:"stop,omitempty" doc:"Texts that end an answer."`
	LogProbs         bool     `json:"logprobs,omitempty" doc:"Kept and not used."`
}

// EvaluatorField is a field of a custom evaluator as its author wrote it.
type EvaluatorField struct {
	Name        string          `json:"name" doc:"The name."`
	Type        eval.CustomType `json:"type" doc:"What kind it is." enum:"string,float,boolean,int,number,enum"`
	Description string          `json:"description,omitempty" doc:"What it says."`
	Label       string          `json:"label,omitempty" doc:"What people call it."`
	Values      []string        `json:"enum_values,omitempty" doc:"What a field of type enum may be."`
	Passes      []string        `json:"passes,omitempty" doc:"The values of an output with which the text passes; of a number one bound, such as >=0.5."`
}

// fieldList is a list of eval.Field or of shownField.
type fieldList struct{ list any }

// MarshalJSON writes the list.
func (l fieldList) MarshalJSON() ([]byte, error) { return json.Marshal(l.list) }

// JSONSchema returns the schema of the list.
func (fieldList) JSONSchema(of func(any) map[string]any) map[string]any {
	return map[string]any{"type": "array", "items": of(EvaluatorField{})}
}

// EvaluatorList is a list of evaluators.
type EvaluatorList struct {
	Evaluators []Evaluator `json:"evaluators" doc:"The evaluators."`
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
	list := EvaluatorList{Evaluators: []Evaluator{}}
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
func show(e *eval.Evaluator) Evaluator {
	if e.Custom != nil {
		item := showCustom(e.Custom)
		item.Backends = e.Backends()
		return item
	}
	return Evaluator{
		ID: e.Slug, Slug: e.Slug, Name: e.Slug, Type: typePrebuilt, Description: e.Doc, Version: e.VersionName(), Source: ofOurs,
		InputSchema: fieldList{e.Input}, OutputSchema: fieldList{e.Output}, ConfigSchema: e.Config, Languages: e.Languages, Backends: e.Backends(),
	}
}

func showCustom(c *eval.CustomEvaluator) Evaluator {
	judge := &EvaluatorJudge{
		Provider: c.Provider, Mode: c.Mode, Messages: make([]EvaluatorMessage, len(c.Messages)),
		LLM: EvaluatorModel{
			Model: c.Model, Temperature: c.Sampling.Temperature, TopP: c.Sampling.TopP,
			FrequencyPenalty: c.Sampling.FrequencyPenalty, PresencePenalty: c.Sampling.PresencePenalty,
			MaxTokens: c.Sampling.MaxTokens, Stop: c.Sampling.Stop, LogProbs: c.LogProbs,
		},
	}
	for i, m := range c.Messages {
		judge.Messages[i] = EvaluatorMessage{Role: m.Role, Content: m.Content}
	}
	return Evaluator{
		ID: c.ID, Slug: c.Slug, Name: c.Name, Type: typeJudge, Description: c.Description, Version: c.VersionName(), Source: ofUsers,
		InputSchema: fieldList{showFields(c.Input)}, OutputSchema: fieldList{showFields(c.Output)}, Config: judge,
		CreatedAt: rest.Time(c.CreatedAt), UpdatedAt: rest.Time(c.UpdatedAt),
	}
}

func showFields(fields []eval.CustomField) []EvaluatorField {
	shown := make([]EvaluatorField, len(fields))
	for i, f := range fields {
		shown[i] = EvaluatorField(f)
	}
	return shown
}
