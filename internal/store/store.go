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
	"github.com/touchstone-otel/touchstone/internal/monitor"
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

// Spans stores spans and evaluations, durably.
type Spans interface {
	Backlog

	// Write stores records. When it returns nil all of them would survive a
	// crash; after an error any part of them may have been stored, and the
	// caller may write them all again: a span already stored under the same
	// environment, trace id and span id is not stored twice. If the repeated
	// span differs, the later one replaces the earlier, evaluations included.
	// Within one call, the last of equal spans counts.
	Write(ctx context.Context, records []Record) error

	// WriteMessages stores messages with the same promise. They become the
	// prompts or completions of their span wherever the span itself has none.
	// Of several messages for one span, their entries are joined by key, the
	// later value of a key counting.
	WriteMessages(ctx context.Context, messages []Messages) error

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

// Organizations is the control role for tenants.
type Organizations interface {
	// CreateOrganization stores an organization with its projects and
	// environments, and the keys of those, all or nothing.
	CreateOrganization(ctx context.Context, org tenant.Organization, keys []tenant.Key) error
	// Keys gives every key of every environment.
	Keys(ctx context.Context) ([]tenant.Key, error)
	// Key gives the key with this digest, or NotFound.
	Key(ctx context.Context, digest tenant.Digest) (tenant.Key, error)
}

// SetupFilter narrows a list of setups; empty fields do not.
type SetupFilter struct {
	Status     monitor.Status
	ExternalID string
	EntityType string
}

// Setups is the control role for auto monitor setups.
type Setups interface {
	// CreateSetup stores a new setup with Revision 1, or answers Conflict when
	// its environment has its external id already.
	CreateSetup(ctx context.Context, s monitor.Setup) error
	// Setup gives the environment's setup with this external id, or where there
	// is none with this id, or NotFound.
	Setup(ctx context.Context, env tenant.EnvironmentID, name string) (monitor.Setup, error)
	// ListSetups gives the environment's setups, oldest first.
	ListSetups(ctx context.Context, env tenant.EnvironmentID, f SetupFilter) ([]monitor.Setup, error)
	// AllSetups gives the setups of every environment, oldest first.
	AllSetups(ctx context.Context) ([]monitor.Setup, error)
	// ReplaceSetup stores s under its id with Revision+1, or answers Conflict
	// when the stored revision is not s.Revision and NotFound when the setup is
	// gone. It gives the setup as stored.
	ReplaceSetup(ctx context.Context, s monitor.Setup) (monitor.Setup, error)
	// DeleteSetup removes the setup that Setup would give, or NotFound.
	DeleteSetup(ctx context.Context, env tenant.EnvironmentID, name string) error
}

// Bounds of what one environment may store of evaluators.
const (
	// MaxEvaluators is how many evaluators an environment may have.
	MaxEvaluators = 200
	// KeptVersions is how many versions of an evaluator are kept, the latest.
	KeptVersions = 50
)

// Evaluators is the control role for the evaluators that users define. A
// version never changes once it is stored.
type Evaluators interface {
	// CreateEvaluator stores a new evaluator with Version 1. It answers Conflict
	// when its environment has its slug already, and Invalid when the
	// environment has MaxEvaluators.
	CreateEvaluator(ctx context.Context, e eval.Custom) error
	// Evaluator gives the latest version of the environment's evaluator with
	// this slug, or where there is none with this id, or NotFound.
	Evaluator(ctx context.Context, env tenant.EnvironmentID, name string) (eval.Custom, error)
	// EvaluatorVersion gives the version with this number in decimal, or where
	// there is none with this VersionID, of the evaluator that Evaluator would
	// give, or NotFound.
	EvaluatorVersion(ctx context.Context, env tenant.EnvironmentID, name, version string) (eval.Custom, error)
	// ListEvaluators gives the latest versions of the environment's evaluators,
	// oldest evaluator first.
	ListEvaluators(ctx context.Context, env tenant.EnvironmentID) ([]eval.Custom, error)
	// ReplaceEvaluator stores e as the version after e.Version, or answers
	// Conflict when that is not the latest and NotFound when the environment has
	// no evaluator with e's id. Slug and CreatedAt stay as they are stored. It
	// gives the evaluator as stored.
	ReplaceEvaluator(ctx context.Context, e eval.Custom) (eval.Custom, error)
}

// Backfills is the control role for backfills. Those of a setup are deleted
// with it.
type Backfills interface {
	// CreateBackfill stores a new backfill with Revision 1, or answers NotFound
	// when its environment does not have its setup and Conflict when there is a
	// backfill with its ID.
	CreateBackfill(ctx context.Context, b monitor.Backfill) error
	// Backfill gives the backfill of a setup, by its ID, or NotFound.
	Backfill(ctx context.Context, env tenant.EnvironmentID, setupID, id string) (monitor.Backfill, error)
	// ListBackfills gives the backfills of a setup, oldest first.
	ListBackfills(ctx context.Context, env tenant.EnvironmentID, setupID string) ([]monitor.Backfill, error)
	// OpenBackfills gives the backfills of all environments that are not over,
	// oldest first.
	OpenBackfills(ctx context.Context) ([]monitor.Backfill, error)
	// ReplaceBackfill stores b with Revision+1, or answers Conflict when the
	// stored revision is not b.Revision and NotFound when the backfill is gone.
	// Period and CreatedAt stay as they are stored. It gives the backfill as
	// stored.
	ReplaceBackfill(ctx context.Context, b monitor.Backfill) (monitor.Backfill, error)
}

// Control stores who owns what and what they wish: the roles that belong in a
// transactional database.
type Control interface {
	Organizations
	Setups
	Evaluators
	Backfills
	// Changes counts the changes of keys and setups: one for every organization
	// created and every setup created, replaced or deleted, whichever process
	// did it. It costs little to ask for.
	Changes(ctx context.Context) (int64, error)
	// Secret gives the secret of this name, 32 random bytes made and stored on
	// first use; every process of one store sees the same.
	Secret(ctx context.Context, name string) ([]byte, error)
	// Close ends the engine. Safe to call twice.
	Close() error
}
