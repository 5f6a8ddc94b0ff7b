// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

type setupRow struct {
	bun.BaseModel `bun:"table:setups"`

	Seq            int64 `bun:",pk,autoincrement"`
	ID             text
	ExternalID     text
	OrganizationID text
	ProjectID      text
	EnvironmentID  text
	Selector       document[[]rule]
	Evaluators     document[[]evaluator]
	Bounds         document[bounds]
	EntityType     text
	EntityValue    text
	Status         text
	Revision       int64
	Generation     int64
	CreatedAt      moment
	UpdatedAt      moment
}

// rule is monitor.Rule as it is kept.
type rule struct {
	Key      text   `json:"key"`
	Value    *text  `json:"value,omitempty"`
	Values   []text `json:"values,omitempty"`
	Origin   text   `json:"source"`
	Operator text   `json:"operator"`
}

// bounds are what a setup may take at most and needs at least.
type bounds struct {
	MinSpans      int64         `json:"min_spans,omitempty"`
	MaxCostPerDay float64       `json:"max_cost_per_day,omitempty"`
	Deadline      time.Duration `json:"deadline,omitempty"`
	// OtherLanguages is no bound, but is kept as they are.
	OtherLanguages monitor.OtherLanguages `json:"other_languages,omitempty"`
}

// evaluator is monitor.SetupEvaluator as it is kept. The configuration is kept
// as a text, so that it comes back in the user's own spelling.
type evaluator struct {
	Slug         text      `json:"slug"`
	CustomID     text      `json:"custom_id,omitempty"`
	Config       text      `json:"config,omitempty"`
	Backend      text      `json:"backend,omitempty"`
	SampleRate   float64   `json:"sample_rate,omitempty"`
	Inputs       []input   `json:"inputs,omitempty"`
	Status       text      `json:"status"`
	ErrorMessage text      `json:"error_message,omitempty"`
	ProcessedAt  time.Time `json:"processed_at,omitzero"`
}

// input is a monitor.InputSource as it is kept.
type input struct {
	Name    text `json:"name"`
	Origin  text `json:"source"`
	Key     text `json:"key"`
	Path    text `json:"json_path,omitempty"`
	Pattern text `json:"regex,omitempty"`
}

func rowOf(s monitor.Setup) setupRow {
	row := setupRow{
		ID:             text(s.ID),
		ExternalID:     text(s.ExternalID),
		OrganizationID: text(s.OrganizationID),
		ProjectID:      text(s.ProjectID),
		EnvironmentID:  text(s.EnvironmentID),
		Selector:       document[[]rule]{make([]rule, 0, len(s.Selector))},
		Evaluators:     document[[]evaluator]{make([]evaluator, 0, len(s.Evaluators))},
		Bounds:         document[bounds]{bounds{s.MinSpans, s.MaxCostPerDay, s.Deadline, s.OtherLanguages}},
		EntityType:     text(s.EntityType),
		EntityValue:    text(s.EntityValue),
		Status:         text(s.Status),
		Revision:       s.Revision,
		Generation:     s.Generation,
		CreatedAt:      moment{s.CreatedAt},
		UpdatedAt:      moment{s.UpdatedAt},
	}
	for _, r := range s.Selector {
		row.Selector.value = append(row.Selector.value, rule{
			Key: text(r.Key), Value: (*text)(r.Value), Values: convert[text](r.Values),
			Origin: text(r.Origin), Operator: text(r.Operator),
		})
	}
	for _, e := range s.Evaluators {
		row.Evaluators.value = append(row.Evaluators.value, evaluator{
			Slug: text(e.Slug), CustomID: text(e.CustomID), Config: text(e.Config), Backend: text(e.Backend),
			SampleRate: e.SampleRate, Inputs: inputsOf(e.Inputs),
			Status: text(e.Status), ErrorMessage: text(e.ErrorMessage), ProcessedAt: e.ProcessedAt.UTC(),
		})
	}
	return row
}

// inputsOf gives the inputs in the order of their names: equal inputs are kept
// as equal texts.
func inputsOf(sources map[string]monitor.InputSource) []input {
	kept := make([]input, 0, len(sources))
	for name, s := range sources {
		kept = append(kept, input{text(name), text(s.Origin), text(s.Key), text(s.Path), text(s.Pattern)})
	}
	slices.SortFunc(kept, func(a, b input) int { return cmp.Compare(a.Name, b.Name) })
	return kept
}

func (r *setupRow) setup() monitor.Setup {
	s := monitor.Setup{
		ID:             string(r.ID),
		ExternalID:     string(r.ExternalID),
		OrganizationID: string(r.OrganizationID),
		ProjectID:      string(r.ProjectID),
		EnvironmentID:  tenant.EnvironmentID(r.EnvironmentID),
		MinSpans:       r.Bounds.value.MinSpans,
		MaxCostPerDay:  r.Bounds.value.MaxCostPerDay,
		Deadline:       r.Bounds.value.Deadline,
		OtherLanguages: r.Bounds.value.OtherLanguages,
		EntityType:     string(r.EntityType),
		EntityValue:    string(r.EntityValue),
		Status:         monitor.Status(r.Status),
		Revision:       r.Revision,
		Generation:     r.Generation,
		CreatedAt:      r.CreatedAt.Time,
		UpdatedAt:      r.UpdatedAt.Time,
	}
	for _, k := range r.Selector.value {
		s.Selector = append(s.Selector, monitor.Rule{
			Key: string(k.Key), Value: (*string)(k.Value), Values: convert[string](k.Values),
			Origin: monitor.Origin(k.Origin), Operator: query.Operator(k.Operator),
		})
	}
	for _, e := range r.Evaluators.value {
		s.Evaluators = append(s.Evaluators, monitor.SetupEvaluator{
			Slug: string(e.Slug), CustomID: string(e.CustomID), Config: config(e.Config), Backend: string(e.Backend),
			SampleRate: e.SampleRate, Inputs: inputSources(e.Inputs),
			Status: monitor.Status(e.Status), ErrorMessage: string(e.ErrorMessage), ProcessedAt: e.ProcessedAt,
		})
	}
	return s
}

func config(kept text) json.RawMessage {
	if kept == "" {
		return nil
	}
	return json.RawMessage(kept)
}

func inputSources(kept []input) map[string]monitor.InputSource {
	if len(kept) == 0 {
		return nil
	}
	sources := make(map[string]monitor.InputSource, len(kept))
	for _, i := range kept {
		sources[string(i.Name)] = monitor.InputSource{
			Origin: monitor.Origin(i.Origin), Key: string(i.Key), Path: string(i.Path), Pattern: string(i.Pattern),
		}
	}
	return sources
}

func convert[To, From ~string](in []From) []To {
	if len(in) == 0 {
		return nil
	}
	out := make([]To, len(in))
	for i, v := range in {
		out[i] = To(v)
	}
	return out
}
