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

// Evaluated are evaluations of one stored span.
type Evaluated struct {
	Environment tenant.EnvironmentID
	Span        span.Key
	Evaluations []eval.Evaluation
}

// Location says where a span is.
type Location struct {
	Environment tenant.EnvironmentID
	Span        span.Key
}

// Batch is what one call writes.
type Batch struct {
	Records  []Record
	Messages []Messages
}

// Written is what came of a batch.
type Written struct {
	// Replaced are spans that were stored with another content before; what was
	// owed on them went with that.
	Replaced []Location
}

// Spans stores spans and evaluations, durably.
type Spans interface {
	Backlog

	// Write stores a batch. When it returns nil all of it would survive a
	// crash; after an error any part of it may have been stored, and the caller
	// may write all of it again.
	//
	// A record whose span is stored already, under the same environment, trace id
	// and span id, is not stored twice. If the repeated span differs, the later
	// one replaces the earlier, evaluations included. Within one call, the last
	// of equal spans counts.
	//
	// Messages become the prompts or completions of their span wherever the span
	// itself has none. Of several messages for one span, their entries are joined
	// by key, the later value of a key counting.
	Write(ctx context.Context, b Batch) (Written, error)

	// Search gives one page of the environment's spans that are within its
	// retention, or of the outputs of evaluations of those, as package query says
	// what matches and in which order; Invalid what Query.Validate refuses.
	// Verdicts are merged into the spans' attributes as
	// evaluation.<slug>.<output>. Where several setups ran one evaluator, the
	// latest verdict on an output counts, for showing, filtering and sorting alike.
	Search(ctx context.Context, env tenant.Environment, q query.Query) (query.Page, error)

	// Get gives those of the spans that are there, each once, and with siblings
	// the other spans of their traces too, of each trace the earliest, siblings
	// at most. Spans of one trace follow one another, by start; traces come in
	// the order of keys. Retention, messages and verdicts are as in Search.
	Get(ctx context.Context, env tenant.Environment, keys []span.Key, siblings int) ([]span.Span, error)

	// Evaluations gives the evaluations of one span, of all setups, in the
	// order they were made; none if the span is not there.
	Evaluations(ctx context.Context, env tenant.Environment, trace span.TraceID, id span.ID) ([]eval.Evaluation, error)

	// Expire gives back the space of spans whose retention ended before now.
	// Search never returns such spans, expired or not.
	Expire(ctx context.Context, now time.Time) error

	// Close ends the engine after the running calls. Safe to call twice.
	Close() error
}
