// SPDX-License-Identifier: Apache-2.0

package store

import (
	"time"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Deletion is a job: remove the stored spans of people, whom association properties
// identify, with all that was made of them.
type Deletion struct {
	ID            string               `json:"id"`
	EnvironmentID tenant.EnvironmentID `json:"environment_id"`
	// Who are the people: a span is one of theirs if it has all properties of one
	// entry. They are forgotten when the deletion is completed.
	Who []map[string]string `json:"who,omitempty"`

	// Total is how many spans there were, counted when the job was taken up, and
	// Deleted how many are gone.
	Total   int64 `json:"total"`
	Deleted int64 `json:"deleted"`
	// Counted says that Total is known.
	Counted bool `json:"counted,omitempty"`
	// Passes is how often all of them were removed, and CompletedAt when nothing
	// more can have come; zero before.
	Passes      int       `json:"passes"`
	CompletedAt time.Time `json:"completed_at,omitzero"`

	// Owner is the process that works on the job, which no other process takes over
	// before LeasedUntil.
	Owner       string    `json:"owner,omitempty"`
	LeasedUntil time.Time `json:"leased_until,omitzero"`

	// Revision counts the writes, as that of a setup does.
	Revision  int64     `json:"revision"`
	CreatedAt time.Time `json:"created_at,omitzero"`
}

// Deletions returns the deletions of what is stored of people.
func Deletions(d Documents) Collection[Deletion] {
	return Collection[Deletion]{
		documents: d, kind: DeletionKind,
		head: func(x *Deletion) Document {
			return Document{
				Environment: x.EnvironmentID, ID: x.ID, Name: x.ID, Open: x.CompletedAt.IsZero(),
				Revision: x.Revision, CreatedAt: x.CreatedAt,
			}
		},
		accept: func(x *Deletion, d *Document) {
			x.EnvironmentID, x.ID = d.Environment, d.ID
			x.Revision, x.CreatedAt = d.Revision, d.CreatedAt
			x.CompletedAt, x.LeasedUntil = x.CompletedAt.UTC(), x.LeasedUntil.UTC()
		},
	}
}

// Forgetter is what keeps, in memory, answers that were made of spans.
type Forgetter interface {
	// ForgetAnswers forgets all of them.
	ForgetAnswers()
}
