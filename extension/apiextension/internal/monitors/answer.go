// SPDX-License-Identifier: Apache-2.0

package monitors

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

// Setup is a stored setup.
type Setup struct {
	ID           string           `json:"id" doc:"Assigned by the service."`
	ExternalID   string           `json:"external_id" doc:"Chosen by the caller."`
	OrgID        string           `json:"org_id" doc:"The organization."`
	ProjectID    string           `json:"project_id" doc:"The project."`
	EnvProjectID string           `json:"env_project_id" doc:"The environment."`
	EntityType   string           `json:"entity_type,omitempty" doc:"The type of the entity, where the setup was asked for by one."`
	EntityValue  string           `json:"entity_value,omitempty" doc:"The name of the entity."`
	InitRules    monitor.Selector `json:"init_rules" doc:"The selector as it is stored."`
	Evaluators   []SetupEvaluator `json:"evaluators" schema:"minItems=1"`
	boundsAnswer
	Status    monitor.Status `json:"status" doc:"How far the setup got." enum:"pending,in_progress,waiting_for_spans,completed,partial,failed"`
	CreatedAt string         `json:"created_at" doc:"When it was created." schema:"format=date-time"`
	UpdatedAt string         `json:"updated_at" doc:"When it was last changed, by its user or by the service." schema:"format=date-time"`
}

type boundsAnswer struct {
	MinSpans      int64   `json:"min_spans,omitempty" doc:"How many spans have to match, where that was said." schema:"minimum=1"`
	MaxCostPerDay float64 `json:"max_cost_per_day,omitempty" doc:"The bound of costs per day (UTC) in US dollars, where there is one." schema:"exclusiveMinimum=0"`
	DeadlineSec   int64   `json:"deadline_sec,omitempty" doc:"The deadline of deferred evaluations in seconds, where there is one." schema:"minimum=1"`

	OtherLanguages monitor.OtherLanguages `json:"other_languages,omitempty" doc:"What becomes of texts in a language that an evaluator does not know: judge asks a judge if there is one and else skips the text, skip does not judge it, use judges it as if the evaluator knew the language. Absent where that was not said." enum:"judge,skip,use"`
	OnVerdict      []monitor.OnVerdict    `json:"on_verdict,omitempty" doc:"What becomes of matched spans by the verdicts of evaluators; absent where nothing does." schema:"minItems=1"`

	Paused      bool   `json:"paused,omitempty" doc:"Whether it matches no span that comes; absent where it does."`
	PausedSince string `json:"paused_since,omitempty" doc:"When the last pause began; absent where there was none." schema:"format=date-time"`
	ResumedAt   string `json:"resumed_at,omitempty" doc:"When it ended. Spans that came from paused_since on until then were not judged; a backfill judges them." schema:"format=date-time"`
}

// SetupEvaluator is an evaluator of a stored setup.
type SetupEvaluator struct {
	EvaluatorType string       `json:"evaluator_type" doc:"The slug."`
	EvaluatorID   string       `json:"evaluator_id,omitempty" doc:"The id, of custom evaluators."`
	InputSchema   []eval.Field `json:"input_schema" doc:"What the evaluator takes."`
	OutputSchema  []eval.Field `json:"output_schema" doc:"What it gives."`

	Config     json.RawMessage                `json:"config,omitempty" doc:"Its configuration, where it has one." schema:"types=object"`
	Inputs     map[string]monitor.InputSource `json:"input_mapping,omitempty" doc:"Where a span has the inputs that are mapped."`
	SampleRate float64                        `json:"sample_rate,omitempty" doc:"The share of traces to judge, where it is not all." schema:"maximum=1 exclusiveMinimum=0"`
	Backend    string                         `json:"backend,omitempty" doc:"What is to judge, where that was said."`

	Status       monitor.Status `json:"status" doc:"How far it got." enum:"pending,in_progress,waiting_for_spans,completed,partial,failed"`
	ErrorMessage string         `json:"error_message,omitempty" doc:"Why it failed."`
	ProcessedAt  string         `json:"processed_at,omitempty" doc:"When it left pending." schema:"format=date-time"`
}

// show returns setups of one environment as the API shows them.
func (a *API) show(ctx context.Context, env tenant.Environment, setups []monitor.Setup) ([]Setup, error) {
	evaluators, err := a.evaluatorsOf(ctx, env, setups)
	if err != nil {
		return nil, err
	}
	shown := make([]Setup, len(setups))
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

func showSetup(s *monitor.Setup, evaluators *registry.Registry) Setup {
	shown := Setup{
		ID:           s.ID,
		ExternalID:   s.ExternalID,
		OrgID:        s.OrganizationID,
		ProjectID:    s.ProjectID,
		EnvProjectID: string(s.EnvironmentID),
		EntityType:   s.EntityType,
		EntityValue:  s.EntityValue,
		InitRules:    s.Selector,
		Evaluators:   make([]SetupEvaluator, len(s.Evaluators)),
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

func showEvaluator(e *monitor.SetupEvaluator, evaluators *registry.Registry) SetupEvaluator {
	shown := SetupEvaluator{
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
