// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"time"

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
	ID            string
	EnvironmentID tenant.EnvironmentID
	SetupID       string
	// From and To bound the spans' start, Unix nanoseconds, both inclusive.
	From, To int64

	Status BackfillStatus
	// Position is where to go on, a query.Position as text; "" is the
	// beginning.
	Position string
	// Total is how many spans there are to look at, counted when the job was
	// taken up; Seen is how many were looked at, Matched how many of them the
	// selector matched.
	Total, Seen, Matched int64
	ErrorMessage         string

	// Revision counts the writes, as that of a Setup does.
	Revision  int64
	CreatedAt time.Time
	UpdatedAt time.Time
}
