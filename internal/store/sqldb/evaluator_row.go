// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"github.com/uptrace/bun"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

type evaluatorRow struct {
	bun.BaseModel `bun:"table:evaluators,alias:e"`

	Seq           int64 `bun:",pk,autoincrement"`
	ID            text
	EnvironmentID text
	Slug          text
	Version       int64
	CreatedAt     moment
}

type versionRow struct {
	bun.BaseModel `bun:"table:evaluator_versions,alias:v"`

	EvaluatorID text  `bun:",pk"`
	Version     int64 `bun:",pk"`
	ID          text
	Definition  document[definition]
	CreatedAt   moment
}

// definition is what a version says, as it is kept.
type definition struct {
	Name             text      `json:"name"`
	Description      text      `json:"description,omitempty"`
	Provider         text      `json:"provider"`
	Model            text      `json:"model"`
	Mode             text      `json:"mode,omitempty"`
	LogProbs         bool      `json:"logprobs,omitempty"`
	Messages         []message `json:"messages"`
	Input            []field   `json:"input_schema"`
	Output           []field   `json:"output_schema"`
	Temperature      *float64  `json:"temperature,omitempty"`
	TopP             *float64  `json:"top_p,omitempty"`
	FrequencyPenalty *float64  `json:"frequency_penalty,omitempty"`
	PresencePenalty  *float64  `json:"presence_penalty,omitempty"`
	MaxTokens        int64     `json:"max_tokens,omitempty"`
	Stop             []text    `json:"stop,omitempty"`
}

// message is eval.CustomMessage as it is kept.
type message struct {
	Role    text `json:"role"`
	Content text `json:"content"`
}

// field is eval.CustomField as it is kept.
type field struct {
	Name        text   `json:"name"`
	Type        text   `json:"type"`
	Description text   `json:"description,omitempty"`
	Label       text   `json:"label,omitempty"`
	Values      []text `json:"enum_values,omitempty"`
}

func evaluatorRowOf(e eval.Custom) evaluatorRow {
	return evaluatorRow{
		ID: text(e.ID), EnvironmentID: text(e.EnvironmentID), Slug: text(e.Slug), Version: e.Version,
		CreatedAt: moment{e.CreatedAt},
	}
}

func versionRowOf(e eval.Custom) versionRow {
	d := definition{
		Name: text(e.Name), Description: text(e.Description), Provider: text(e.Provider), Model: text(e.Model),
		Mode: text(e.Mode), LogProbs: e.LogProbs, Input: fieldsOf(e.Input), Output: fieldsOf(e.Output),
		Temperature: e.Sampling.Temperature, TopP: e.Sampling.TopP, FrequencyPenalty: e.Sampling.FrequencyPenalty,
		PresencePenalty: e.Sampling.PresencePenalty, MaxTokens: e.Sampling.MaxTokens, Stop: convert[text](e.Sampling.Stop),
	}
	for _, m := range e.Messages {
		d.Messages = append(d.Messages, message{text(m.Role), text(m.Content)})
	}
	return versionRow{
		EvaluatorID: text(e.ID), Version: e.Version, ID: text(e.VersionID), Definition: document[definition]{d},
		CreatedAt: moment{e.UpdatedAt},
	}
}

func fieldsOf(fields []eval.CustomField) []field {
	var kept []field
	for _, f := range fields {
		kept = append(kept, field{text(f.Name), text(f.Type), text(f.Description), text(f.Label), convert[text](f.Values)})
	}
	return kept
}

// evaluator gives the evaluator in this version.
func (r *evaluatorRow) evaluator(v *versionRow) eval.Custom {
	d := &v.Definition.value
	e := eval.Custom{
		ID: string(r.ID), Slug: string(r.Slug), EnvironmentID: tenant.EnvironmentID(r.EnvironmentID),
		Name: string(d.Name), Description: string(d.Description), Provider: string(d.Provider), Model: string(d.Model),
		Mode: string(d.Mode), LogProbs: d.LogProbs, Input: customFields(d.Input), Output: customFields(d.Output),
		Sampling: eval.Sampling{
			Temperature: d.Temperature, TopP: d.TopP, FrequencyPenalty: d.FrequencyPenalty,
			PresencePenalty: d.PresencePenalty, MaxTokens: d.MaxTokens, Stop: convert[string](d.Stop),
		},
		Version: v.Version, VersionID: string(v.ID), CreatedAt: r.CreatedAt.Time, UpdatedAt: v.CreatedAt.Time,
	}
	for _, m := range d.Messages {
		e.Messages = append(e.Messages, eval.CustomMessage{Role: eval.Role(m.Role), Content: string(m.Content)})
	}
	return e
}

func customFields(kept []field) []eval.CustomField {
	var fields []eval.CustomField
	for _, f := range kept {
		fields = append(fields, eval.CustomField{
			Name: string(f.Name), Type: eval.CustomType(f.Type), Description: string(f.Description), Label: string(f.Label),
			Values: convert[string](f.Values),
		})
	}
	return fields
}
