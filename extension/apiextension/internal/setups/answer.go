// SPDX-License-Identifier: Apache-2.0

package setups

import (
	"context"
	"encoding/json"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/registry"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

type setupAnswer struct {
	ID           string            `json:"id"`
	ExternalID   string            `json:"external_id"`
	OrgID        string            `json:"org_id"`
	ProjectID    string            `json:"project_id"`
	EnvProjectID string            `json:"env_project_id"`
	EntityType   string            `json:"entity_type,omitempty"`
	EntityValue  string            `json:"entity_value,omitempty"`
	InitRules    monitor.Selector  `json:"init_rules"`
	Evaluators   []evaluatorAnswer `json:"evaluators"`
	boundsAnswer
	Status    monitor.Status `json:"status"`
	CreatedAt string         `json:"created_at"`
	UpdatedAt string         `json:"updated_at"`
}

type boundsAnswer struct {
	MinSpans      int64   `json:"min_spans,omitempty"`
	MaxCostPerDay float64 `json:"max_cost_per_day,omitempty"`
	DeadlineSec   int64   `json:"deadline_sec,omitempty"`

	OtherLanguages monitor.OtherLanguages `json:"other_languages,omitempty"`
	OnVerdict      []monitor.OnVerdict    `json:"on_verdict,omitempty"`

	Paused      bool   `json:"paused,omitempty"`
	PausedSince string `json:"paused_since,omitempty"` // the last pause
	ResumedAt   string `json:"resumed_at,omitempty"`
}

type evaluatorAnswer struct {
	EvaluatorType string       `json:"evaluator_type"`
	EvaluatorID   string       `json:"evaluator_id,omitempty"` // of custom ones
	InputSchema   []eval.Field `json:"input_schema"`
	OutputSchema  []eval.Field `json:"output_schema"`

	Config     json.RawMessage                `json:"config,omitempty"`
	Inputs     map[string]monitor.InputSource `json:"input_mapping,omitempty"`
	SampleRate float64                        `json:"sample_rate,omitempty"`
	Backend    string                         `json:"backend,omitempty"`

	Status       monitor.Status `json:"status"`
	ErrorMessage string         `json:"error_message,omitempty"`
	ProcessedAt  string         `json:"processed_at,omitempty"`
}

// show returns setups of one environment as the API shows them.
func (a *API) show(ctx context.Context, env tenant.Environment, setups []monitor.Setup) ([]setupAnswer, error) {
	evaluators, err := a.evaluatorsOf(ctx, env, setups)
	if err != nil {
		return nil, err
	}
	shown := make([]setupAnswer, len(setups))
	for i := range setups {
		shown[i] = showSetup(&setups[i], evaluators)
	}
	return shown, nil
}

// evaluatorsOf returns a registry that has the custom evaluators at hand if any
// setup has one.
func (a *API) evaluatorsOf(ctx context.Context, env tenant.Environment, setups []monitor.Setup) (*registry.Registry, error) {
	for i := range setups {
		for j := range setups[i].Evaluators {
			if setups[i].Evaluators[j].CustomID != "" {
				return a.Evaluators.Snapshot(ctx, env.ID)
			}
		}
	}
	return a.Evaluators.Among(nil), nil
}

func showSetup(s *monitor.Setup, evaluators *registry.Registry) setupAnswer {
	shown := setupAnswer{
		ID:           s.ID,
		ExternalID:   s.ExternalID,
		OrgID:        s.OrganizationID,
		ProjectID:    s.ProjectID,
		EnvProjectID: string(s.EnvironmentID),
		EntityType:   s.EntityType,
		EntityValue:  s.EntityValue,
		InitRules:    s.Selector,
		Evaluators:   make([]evaluatorAnswer, len(s.Evaluators)),
		boundsAnswer: showBounds(s),
		Status:       s.Status,
		CreatedAt:    rest.Time(s.CreatedAt),
		UpdatedAt:    rest.Time(s.UpdatedAt),
	}
	if shown.InitRules == nil {
		shown.InitRules = monitor.Selector{}
	}
	for i := range s.Evaluators {
		shown.Evaluators[i] = showEvaluator(&s.Evaluators[i], evaluators)
	}
	return shown
}

func showBounds(s *monitor.Setup) boundsAnswer {
	return boundsAnswer{
		MinSpans: s.MinSpans, MaxCostPerDay: s.MaxCostPerDay, DeadlineSec: int64(s.Deadline / time.Second),
		OtherLanguages: s.OtherLanguages, OnVerdict: s.OnVerdict, Paused: s.Paused,
		PausedSince: rest.TimeIfAny(s.PausedSince), ResumedAt: rest.TimeIfAny(s.ResumedAt),
	}
}

func showEvaluator(e *monitor.SetupEvaluator, evaluators *registry.Registry) evaluatorAnswer {
	shown := evaluatorAnswer{
		EvaluatorType: e.Slug,
		EvaluatorID:   e.CustomID,
		InputSchema:   []eval.Field{},
		OutputSchema:  []eval.Field{},
		Config:        e.Config,
		Inputs:        e.Inputs,
		SampleRate:    e.SampleRate,
		Backend:       e.Backend,
		Status:        e.Status,
		ErrorMessage:  e.ErrorMessage,
		ProcessedAt:   rest.TimeIfAny(e.ProcessedAt),
	}
	// A release may drop an evaluator that a setup still names.
	found, err := evaluators.Bound(context.Background(), "", e.Slug, e.CustomID)
	if err == nil {
		shown.InputSchema, shown.OutputSchema = found.Input, found.Output
	}
	return shown
}
