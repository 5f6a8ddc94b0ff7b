// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

const timeFormat = "2006-01-02T15:04:05.000Z"

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
	Status       monitor.Status    `json:"status"`
	CreatedAt    string            `json:"created_at"`
	UpdatedAt    string            `json:"updated_at"`
}

type evaluatorAnswer struct {
	EvaluatorType string         `json:"evaluator_type"`
	InputSchema   []eval.Field   `json:"input_schema"`
	OutputSchema  []eval.Field   `json:"output_schema"`
	Status        monitor.Status `json:"status"`
	ErrorMessage  string         `json:"error_message,omitempty"`
	ProcessedAt   string         `json:"processed_at,omitempty"`
}

// showSetup gives a setup as the API shows it.
func (a *api) showSetup(s monitor.Setup) setupAnswer {
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
		Status:       s.Status,
		CreatedAt:    s.CreatedAt.UTC().Format(timeFormat),
		UpdatedAt:    s.UpdatedAt.UTC().Format(timeFormat),
	}
	if shown.InitRules == nil {
		shown.InitRules = monitor.Selector{}
	}
	for i, e := range s.Evaluators {
		shown.Evaluators[i] = a.showEvaluator(e)
	}
	return shown
}

func (a *api) showEvaluator(e monitor.SetupEvaluator) evaluatorAnswer {
	shown := evaluatorAnswer{
		EvaluatorType: e.Slug,
		InputSchema:   []eval.Field{},
		OutputSchema:  []eval.Field{},
		Status:        e.Status,
		ErrorMessage:  e.ErrorMessage,
	}
	// A release may drop an evaluator that a setup still names.
	if known, found := a.catalog.Get(e.Slug); found {
		shown.InputSchema, shown.OutputSchema = known.Input, known.Output
	}
	if !e.ProcessedAt.Equal(time.Time{}) {
		shown.ProcessedAt = e.ProcessedAt.UTC().Format(timeFormat)
	}
	return shown
}
