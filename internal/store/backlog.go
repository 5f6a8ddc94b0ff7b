// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"time"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Backlog is the pending work: deferred evaluations, who works on which, and
// the money that this takes. Pending evaluations lie in an engine; a backlog knows the
// order, the leases and the rules.
type Backlog interface {
	// Lease returns spans with those of their deferred evaluations that are due at
	// now, limit spans at most, of all environments but some: environments take turns,
	// and of each comes first what is due first. Until the time
	// given no other worker gets these evaluations, unless they are released or
	// completed before. A lease may outlive the process that has it, and need not
	// outlive the one that gave it. Nothing is read when nothing is due.
	Lease(ctx context.Context, now, until time.Time, limit int, but ...tenant.EnvironmentID) ([]Evaluated, error)

	// Release ends leases at a time, or at once if that is past, as if they had run
	// out then. It is for who has them: of what was leased by another worker since,
	// it ends that lease.
	Release(ctx context.Context, leased []Evaluated, at time.Time) error

	// Renew extends leases that end at held so that they end at until. It passes over
	// what the caller has no more: evaluations that were released or completed, or
	// that another process leased after held.
	Renew(ctx context.Context, leased []Evaluated, held, until time.Time) error

	// Complete stores evaluations of stored spans. When it returns nil all of them
	// would survive a crash. One that is done already stays as it is, unless a later
	// generation of its setup is done, too, with other outputs, backend or version:
	// nothing is pending again for a verdict that is there. One that is deferred stays
	// so if it would be deferred again, as if it had never been tried or postponed (no
	// attempts, and a reason other than the cost). Any other is replaced, one that
	// is not there is added.
	//
	// What takes the place of a done or failed one, but for the same said again
	// (of its status and time), is its next revision, and the engine keeps it as a
	// predecessor. What takes the place of a deferred or skipped one, which no other call
	// judged, is of the same revision. The revision that the caller says is ignored.
	//
	// A deferred one is due at its Due, and its lease is over. Of two of one setup
	// and evaluator in a call the later counts, unless the earlier is done. What the
	// engine passes over is passed over. A span that is replaced takes its
	// evaluations with it, and their leases. The same call may be made again; after
	// an error any part of it may have been stored.
	Complete(ctx context.Context, made []Evaluated) error

	// Reserve reserves money for an evaluation that the caller has leased, as much
	// as one of its setup takes on average, until its lease ends; what it really took
	// is known when it is completed. While money is reserved for others, Reserve grants
	// none that the budget might not have.
	Reserve(ctx context.Context, b Budget, of Location, evaluator string) (Reserved, error)

	// Added returns a channel on which one value, however much that was, says that this
	// process has stored something that is pending and due since it was last received from.
	// Where another process did it may say so, or for nothing. What becomes due later, and
	// what was not announced, is found by leasing alone.
	Added() <-chan struct{}

	// Stats counts what is pending in all environments together. Until Expire is called
	// it may count pending evaluations of spans past their retention, and OldestOwed may
	// be of one of those, or of a span that was replaced; and of very many
	// environments some may not have been looked at since the start.
	Stats(ctx context.Context) (BacklogStats, error)
}

// Budget is what a setup may spend from a time on, in US dollars.
type Budget struct {
	Environment tenant.EnvironmentID
	Setup       string
	Since       time.Time
	Limit       float64
}

// Reserved is the answer to who wants to spend.
type Reserved string

const (
	// Granted: the evaluation may be made.
	Granted Reserved = "granted"
	// Taken: the rest is reserved for others, which may leave some of it.
	Taken Reserved = "taken"
	// Spent: there is nothing left.
	Spent Reserved = "spent"
)

// BacklogStats are the pending evaluations in all environments together.
type BacklogStats struct {
	Evaluations int64
	Leased      int64
	OldestOwed  int64 // when that was deferred, of what is due or leased; Unix nanoseconds, 0 where there is nothing
}
