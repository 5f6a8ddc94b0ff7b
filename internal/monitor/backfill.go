// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// BackfillStatus says how far a backfill got.
type BackfillStatus string

const (
	BackfillPending   BackfillStatus = "pending"   // created, not yet taken up
	BackfillRunning   BackfillStatus = "running"   // some spans were looked at
	BackfillCompleted BackfillStatus = "completed" // all were
	BackfillCancelled BackfillStatus = "cancelled" // by the user, or the setup is gone
	BackfillFailed    BackfillStatus = "failed"    // cannot go on
)

// Over reports that nothing will happen any more.
func (s BackfillStatus) Over() bool {
	return s == BackfillCompleted || s == BackfillCancelled || s == BackfillFailed
}

// Backfill is a job: judge the stored spans of a period as the setup would
// judge them if they came now. Verdicts that are there stay.
type Backfill struct {
	ID            string               `json:"id"`
	EnvironmentID tenant.EnvironmentID `json:"environment_id"`
	SetupID       string               `json:"setup_id"`
	// From and To bound the spans' start, Unix nanoseconds, both inclusive.
	From int64 `json:"from"`
	To   int64 `json:"to"`
	// Decided says what is to judge, by the slugs of evaluators, as the process that made the job
	// decided. What is not in it is for the process to decide that judges.
	Decided map[string]eval.Backend `json:"decided,omitempty"`

	Status BackfillStatus `json:"status"`
	// Position is where to go on, a query.Position as text; "" is the
	// beginning.
	Position string `json:"position,omitempty"`
	// Total is how many spans there are to look at, counted when the job was
	// taken up; Seen is how many were looked at, Matched how many of them the
	// selector matched.
	Total        int64  `json:"total"`
	Seen         int64  `json:"seen"`
	Matched      int64  `json:"matched"`
	ErrorMessage string `json:"error_message,omitempty"`

	// Owner is the process that works on the job, which no other process takes over
	// before LeasedUntil.
	Owner       string    `json:"owner,omitempty"`
	LeasedUntil time.Time `json:"leased_until,omitzero"`

	// Revision counts the writes, as that of a Setup does.
	Revision  int64     `json:"revision"`
	CreatedAt time.Time `json:"created_at,omitzero"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
}
