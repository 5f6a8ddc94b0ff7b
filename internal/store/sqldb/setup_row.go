// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"time"

	"github.com/uptrace/bun"

	"github.com/touchstone-otel/touchstone/internal/monitor"
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

// evaluator is monitor.SetupEvaluator as it is kept.
type evaluator struct {
	Slug         text      `json:"slug"`
	Status       text      `json:"status"`
	ErrorMessage text      `json:"error_message,omitempty"`
	ProcessedAt  time.Time `json:"processed_at,omitzero"`
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
			Slug: text(e.Slug), Status: text(e.Status), ErrorMessage: text(e.ErrorMessage),
			ProcessedAt: e.ProcessedAt.UTC(),
		})
	}
	return row
}

func (r *setupRow) setup() monitor.Setup {
	s := monitor.Setup{
		ID:             string(r.ID),
		ExternalID:     string(r.ExternalID),
		OrganizationID: string(r.OrganizationID),
		ProjectID:      string(r.ProjectID),
		EnvironmentID:  tenant.EnvironmentID(r.EnvironmentID),
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
			Origin: monitor.Origin(k.Origin), Operator: monitor.Operator(k.Operator),
		})
	}
	for _, e := range r.Evaluators.value {
		s.Evaluators = append(s.Evaluators, monitor.SetupEvaluator{
			Slug: string(e.Slug), Status: monitor.Status(e.Status), ErrorMessage: string(e.ErrorMessage),
			ProcessedAt: e.ProcessedAt,
		})
	}
	return s
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
