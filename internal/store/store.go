// SPDX-License-Identifier: Apache-2.0

// Package store holds the ports of the stores. Each role has a contract in
// storetest that every engine passes.
//
// Errors of a role are faults: Invalid, NotFound and Conflict as documented
// per method; Unavailable when the same call may succeed later (disk full,
// engine down, shutting down); everything else is Internal.
package store

import (
	"context"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Record is a span on its way into the store, with its owner and the
// evaluations made of it.
type Record struct {
	Environment tenant.Environment
	Span        span.Span
	Evaluations []eval.Evaluation
}

// Messages are prompts and completions of one span that arrived apart from
// it, as log records, before or after the span itself.
type Messages struct {
	Environment tenant.Environment
	TraceID     span.TraceID
	SpanID      span.ID
	// Time is when the log records happened, Unix nanoseconds.
	Time        int64
	Prompts     span.Attributes
	Completions span.Attributes
}

// Location says which span is meant, and whose.
type Location struct {
	Environment tenant.EnvironmentID
	Span        span.Key
}

// Owner is a span that evaluations belong to, however often it is sent.
type Owner struct {
	Environment tenant.EnvironmentID
	Span        span.Identity
}

// Owner returns whose evaluations those at the location are.
func (l Location) Owner() Owner { return Owner{Environment: l.Environment, Span: l.Span.Identity()} }

// Owner returns the owner of the record's evaluations.
func (r *Record) Owner() Owner {
	return Owner{Environment: r.Environment.ID, Span: r.Span.Key().Identity()}
}

// Evaluated are evaluations of one stored span.
type Evaluated struct {
	Environment tenant.EnvironmentID
	Span        span.Key
	// Content is the digest of the span that they were made of, 0 for whatever is
	// stored.
	Content     uint64
	Evaluations []eval.Evaluation
}

// Location returns where the span is.
func (e *Evaluated) Location() Location { return Location{Environment: e.Environment, Span: e.Span} }

// Revisions says which evaluations of one setup and evaluator are asked for.
type Revisions int

const (
	// Latest are those that count.
	Latest Revisions = iota
	// AllRevisions are these and their predecessors.
	AllRevisions
)

// Batch is what one call writes.
type Batch struct {
	Records  []Record
	Messages []Messages
	// Evaluations are of spans that are stored already.
	Evaluations []Evaluated
}

// Rows returns how many rows, about, are to be written.
func (b *Batch) Rows() int { return len(b.Records) + len(b.Messages) + len(b.Evaluations) }

// Environment returns whose batch it is, "" where it is empty: callers write for one
// environment at a time. Of a batch of several, such as the backlog's, it is one of them.
func (b *Batch) Environment() tenant.EnvironmentID {
	switch {
	case len(b.Records) > 0:
		return b.Records[0].Environment.ID
	case len(b.Messages) > 0:
		return b.Messages[0].Environment.ID
	case len(b.Evaluations) > 0:
		return b.Evaluations[0].Environment
	}
	return ""
}

// Written is what came of a batch.
type Written struct {
	// Replaced are spans that were stored with another content before; what was
	// pending on them went with that.
	Replaced []Location
}

// Due says that a span has a pending evaluation, and when that falls due.
type Due struct {
	Location
	// At is when it falls due, Since when it was deferred first; Unix nanoseconds.
	At, Since int64
	// Ref is the engine's own: it orders what falls due at one time.
	Ref uint64
}

// OwedPage is one answer of Owed.
type OwedPage struct {
	List []Due
	// More says that there may be more behind Last, of which the oldest was
	// deferred at Oldest.
	More   bool
	Last   Due
	Oldest int64
	// Evaluations is how many are deferred in all environments, and Environments
	// are those that may have some of them. Both are set with limit 0; with another
	// limit Evaluations may be, and Environments are not.
	Evaluations  int64
	Environments []tenant.EnvironmentID
}

// Part is a part of what is stored of an environment.
type Part struct {
	// Everything is all of it, whatever Spans says.
	Everything bool
	// Spans are spans by their keys, which have a start.
	Spans []span.Key
}

// Without returns what of a batch is of environments other than those that are gone.
// The batch stays as it is.
func (b Batch) Without(gone map[tenant.EnvironmentID]bool) Batch {
	if len(gone) == 0 {
		return b
	}
	b.Records = without(b.Records, func(r *Record) bool { return gone[r.Environment.ID] })
	b.Messages = without(b.Messages, func(m *Messages) bool { return gone[m.Environment.ID] })
	b.Evaluations = without(b.Evaluations, func(e *Evaluated) bool { return gone[e.Environment] })
	return b
}

// without returns a list without some of it, the list itself where it has none of that.
func without[T any](list []T, of func(*T) bool) []T {
	if !slices.ContainsFunc(list, func(x T) bool { return of(&x) }) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return of(&x) })
}

// Engine stores spans and evaluations, durably.
type Engine interface {
	Aggregator

	// Write stores a batch. When it returns nil all of it would survive a
	// crash; after an error any part of it may have been stored, and the caller
	// may write all of it again.
	//
	// A record whose span is stored already, with the same environment and
	// span.Identity, is not stored twice. If the repeated span differs, the later
	// one replaces the earlier, evaluations included. Within one call, the last
	// of equal spans counts.
	//
	// Messages become the prompts or completions of their span wherever the span
	// itself has none. Of several messages for one span, their entries are joined
	// by key, the later value of a key counting.
	//
	// Evaluations take the place of those of their span, setup and evaluator, or
	// are added. They are passed over where the span is not there, which it never is
	// for a key without a start, past its retention, or has another content than they
	// were made of. One of a higher revision than that whose place it takes leaves
	// that behind as a predecessor, and one of a lower is passed over. Only the highest revision counts wherever
	// evaluations are shown, matched, ordered or aggregated; predecessors are given
	// by Evaluations alone, and go with the content that they were made of.
	Write(ctx context.Context, b Batch) (Written, error)

	// Search returns one page of the environment's spans that are within its
	// retention, or of the outputs of evaluations of those, as package query says
	// what matches and in which order; Invalid what Query.Validate refuses.
	// Verdicts are merged into the spans' attributes as
	// evaluation.<slug>.<output>. Where several setups ran one evaluator, the
	// latest verdict on an output counts, for showing, filtering and sorting alike.
	Search(ctx context.Context, env tenant.Environment, q query.Query) (query.Page, error)

	// Get returns those of the spans that are there, each once, and with siblings
	// the other spans of their traces too, of each trace the earliest, siblings
	// at most. A key without a start means all spans of its ids. Spans of one trace
	// follow one another, by start; traces come in the order of keys. Retention,
	// messages and verdicts are as in Search.
	Get(ctx context.Context, env tenant.Environment, keys []span.Key, siblings int) ([]span.Span, error)

	// Evaluations returns the evaluations of spans, of all setups, in the order
	// they were made, those that count or all revisions. Spans that are not there,
	// past the retention that was stored with them last, or that started before
	// from, are left out; one without evaluations is not. A key without a start
	// means all spans of its ids, earliest first.
	Evaluations(ctx context.Context, at []Location, from int64, which Revisions) ([]Evaluated, error)

	// Owed lists what is deferred in an environment, in the order in which it falls
	// due and from behind a place on, limit entries at most: of each span one for
	// each evaluation at least. What it lists may be past its retention. Without an
	// environment it lists what is deferred in all. With limit 0 it only counts,
	// from memory where it can, whatever the environment.
	Owed(ctx context.Context, of tenant.EnvironmentID, behind Due, limit int) (OwedPage, error)

	// Expire gives back the space of spans whose retention ended before now.
	// Search never returns such spans, expired or not. Until then Owed may count
	// their pending evaluations.
	Expire(ctx context.Context, now time.Time) error

	// Delete removes a part of what is stored of an environment: spans with their
	// evaluations, predecessors of these and messages, or everything. It is done when no
	// file of the engine has any of it. Meanwhile and after an error any of the spans
	// may be gone, each with all of it or not at all, and of everything any part; the
	// call may be made again. Others are served as ever, and what is written later is
	// stored as new.
	Delete(ctx context.Context, env tenant.EnvironmentID, of Part) error

	// Close ends the engine after the running calls. Safe to call twice.
	Close() error
}
