// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Backlog is the part of Spans for evaluations apart from their spans: those
// that are still owed, and those made after the span was stored. Evaluations of
// spans past their retention are nobody's.
type Backlog interface {
	// Lease gives spans with those of their deferred evaluations that are due at
	// now, what is due first coming first, limit spans at most. Until the time
	// given nobody else gets these evaluations, unless they are released or
	// settled before. A lease need not outlive the process that holds the store.
	// It answers from memory when nothing is due.
	Lease(ctx context.Context, now, until time.Time, limit int) ([]Evaluated, error)

	// Release ends leases early, as if they had run out. It is for who has them:
	// of what was leased by somebody else since, it ends that lease.
	Release(ctx context.Context, owed []Evaluated) error

	// Settle stores evaluations under their span, setup and evaluator. When it
	// returns nil all of them would survive a crash. One that is done already
	// stays as it is, and one that is deferred stays so if it would be deferred
	// anew, as if nobody had tried it or put it off (no attempts, and a reason
	// other than the cost). Any other is replaced, one that is not there is added.
	// A deferred one is due at its Due, and its lease is over. Of two of one setup
	// and evaluator in a call the later counts, unless the earlier is done.
	// Settlements of spans that are not there, or past their retention, are
	// passed over. A span that is replaced takes its evaluations with it, and
	// their leases; what is settled after that is the new one's. The same call
	// may be made again; after an error any part of it may have been stored.
	Settle(ctx context.Context, settlements []Evaluated) error

	// Progress tells how far the evaluations of an environment got.
	Progress(ctx context.Context, env tenant.Environment) (Progress, error)

	// Owing tells what is owed in all environments together, from memory. Until
	// Expire is called it may count what is owed on spans past their retention,
	// and OldestOwed may be of one of those.
	Owing() Owing

	// Spent is the sum, in US dollars, of what the evaluations of a setup took
	// that ended at or after since, all their tries, and what the tries of those
	// took that are deferred, whenever these were; not what was spent on spans
	// replaced or removed since.
	Spent(ctx context.Context, env tenant.EnvironmentID, setup string, since time.Time) (float64, error)

	// Tallies counts the evaluations of a setup, by evaluator, status and, of
	// those that are skipped, reason; in that order.
	Tallies(ctx context.Context, env tenant.Environment, setup string) ([]Tally, error)
}

// Progress is how far the evaluations of an environment got. Times are Unix
// nanoseconds, 0 where there is nothing.
type Progress struct {
	LatestSpan       int64 // start of the span that started last
	LatestEvaluation int64 // when the last evaluation that is not deferred ended
	OldestOwed       int64 // when the oldest deferred evaluation was deferred
	OwedEvaluations  int64
	OwedSpans        int64
}

// Owing is what is owed in all environments together.
type Owing struct {
	Evaluations int64
	Leased      int64
	OldestOwed  int64 // as in Progress; of what is due or leased
}

// Tally counts evaluations of one setup.
type Tally struct {
	Evaluator string
	Status    eval.Status
	Reason    string // of skipped ones; "" otherwise
	Count     int64
	Last      int64  // the largest Time, Unix nanoseconds
	LastError string // the reason that goes with it, of failed and deferred ones
	Cost      float64
}
