// SPDX-License-Identifier: Apache-2.0

// Package monitor holds the words for judging spans as they arrive: Rule and
// Selector say which, a Setup is the user's wish, a Monitor the wish come
// true, and a Board the immutable set of monitors that a process works with.
package monitor

import (
	"time"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Status says how far a setup, or one of its evaluators, got.
type Status string

const (
	Pending         Status = "pending"           // created, not yet taken up
	InProgress      Status = "in_progress"       // being checked
	WaitingForSpans Status = "waiting_for_spans" // ready, no span matched yet
	Completed       Status = "completed"         // all monitors exist
	Partial         Status = "partial"           // some exist, others failed
	FailedStatus    Status = "failed"            // none exists
)

// Setup is a wish: run these evaluators on the spans of one environment that
// the selector matches. It works from its creation on, whatever its status.
type Setup struct {
	ID         string
	ExternalID string // unique within its environment

	OrganizationID string
	ProjectID      string
	EnvironmentID  tenant.EnvironmentID

	Selector   Selector
	Evaluators []SetupEvaluator

	// EntityType and EntityValue are set when the setup was asked for by an
	// entity instead of an external id and a selector.
	EntityType  string
	EntityValue string

	Status Status
	// Revision counts the writes; a store changes a setup only for a caller
	// that knows the current one.
	Revision int64
	// Generation counts the wishes: 1 at creation, one more each time the user
	// changes selector or evaluators. Moves of the status leave it alone.
	Generation int64
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// SetupEvaluator is one evaluator of a setup and how far it got.
type SetupEvaluator struct {
	Slug         string
	Status       Status
	ErrorMessage string    // why it failed
	ProcessedAt  time.Time // when it left pending; zero before
}
