// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Control stores who owns what and what they asked for: what belongs in a
// transactional database. Several processes may work on one. Every method
// answers Unavailable when ctx ended before it was done, and after Close.
//
// Texts are UTF-8 without NUL where they name something (ids, names, slugs);
// what is not is refused with Invalid when it is stored, and is not found when
// it is looked for.
type Control interface {
	Organizations
	Documents
	// Changes returns what changed of keys and setups after the change with this
	// number, whichever process changed it. Numbers grow in the order in which
	// changes become visible. It costs little to ask for.
	Changes(ctx context.Context, after int64) (Changes, error)
	// Secret returns the secret of this name, 32 random bytes made and stored on
	// first use; every process of one store sees the same.
	Secret(ctx context.Context, name string) ([]byte, error)
	// Close ends the engine. Safe to call twice.
	Close() error
}

// Telling is the role of a control store that tells of changes by itself.
type Telling interface {
	// Listen calls wake, which must not block, when something may have changed of
	// what Changes tells, and when it begins to hear of changes, until ctx ends. A
	// call may be lost, or be for nothing: Changes is the truth. It returns at once
	// where the store reports no changes.
	Listen(ctx context.Context, wake func())
}

// AccessTokens is the role of a control store that keeps the digests of the operator's
// credentials, for processes that are given none.
type AccessTokens interface {
	// AccessTokens returns the digests that are valid, the latest first; none where none
	// was ever made.
	AccessTokens(ctx context.Context) ([]tenant.Digest, error)
	// RenewAccessToken makes another the latest. The one before it stays valid with keep,
	// and no other does.
	RenewAccessToken(ctx context.Context, latest tenant.Digest, keep bool) error
}

// Organizations is the role for tenants.
type Organizations interface {
	// CreateOrganization stores an organization with its projects and
	// environments, and the keys of those, all or nothing. It answers Conflict
	// when an id, a slug or a key is there already, and Invalid when a key has no
	// id or belongs to an environment of another organization.
	CreateOrganization(ctx context.Context, org tenant.Organization, keys []tenant.Key) error
	// Organizations returns the organizations with these ids, those that are not
	// there left out; without any id, all of them. Deleted ones are among them.
	// They come oldest first, projects and environments by their slugs.
	Organizations(ctx context.Context, ids ...string) ([]tenant.Organization, error)
	// ChangeOrganization has change say what becomes of an organization, and
	// returns it as stored; no other call changes it in between. What may change is
	// its name, retention and prices, retention, quota and mappings of its environments,
	// and that there are more environments; an environment that is not in the list any more
	// stays. Where DeletedAt is set that was not, its keys and the documents of its
	// environments go with it; where ErasedAt is, its name, projects and
	// environments do. It answers NotFound where there is no such organization,
	// Conflict as CreateOrganization does, and the error of change, which must not
	// call the store.
	ChangeOrganization(ctx context.Context, id string, change func(*tenant.Organization) error) (tenant.Organization, error)
	// Keys returns the keys of these environments, revoked and expired ones too;
	// without any environment, every key of every environment. They come oldest
	// first.
	Keys(ctx context.Context, of ...tenant.EnvironmentID) ([]tenant.Key, error)
	// ChangeKeys has change say what becomes of the keys of some environments,
	// which no other call changes in between: those that it returns are the keys
	// from then on. New ones are recognized by their ids; ID, digest and environment of
	// the others stay. It answers Conflict when an id or a digest is there already,
	// Invalid when a key is of another environment, NotFound when an environment
	// is not there or deleted, and the error of change, which must not call the
	// store.
	ChangeKeys(ctx context.Context, of []tenant.EnvironmentID, change func([]tenant.Key) ([]tenant.Key, error)) error
}

// Documents is the role for what users made: setups, evaluators, backfills.
// Collection gives them their types.
type Documents interface {
	// Put stores a document and returns it as stored.
	//
	// One with Revision 0 is new and gets Revision 1. Put answers Conflict when its
	// environment has its name already, when the kind has its ID, and when its
	// parent has as many open documents as the kind allows; NotFound when its
	// environment or parent is not there; Invalid when its environment has as
	// many documents as the kind allows, and when what it refers to is not there. The
	// bounds hold across processes.
	//
	// Any other takes the place of the environment's document with its ID, with
	// Revision+1. Put answers Conflict when the stored revision is not d.Revision or
	// the name is another's, NotFound when there is no document to replace, and Invalid
	// when something is not there that the stored revision did not refer to.
	// Parent and CreatedAt stay as they are stored.
	Put(ctx context.Context, d Document) (Document, error)
	// List returns the documents that a filter lets through, oldest first. All
	// of them are as they were at one moment.
	List(ctx context.Context, f DocumentFilter) ([]Document, error)
	// Delete removes the document that goes by a name in an environment, and those
	// whose parent it is, or answers NotFound. It answers Conflict when another one
	// refers to it, also one that is stored at the same moment by another process.
	Delete(ctx context.Context, of Kind, env tenant.EnvironmentID, name string) error
}

// Changes are changes of keys and setups, in the order in which they were made.
type Changes struct {
	// Number is that of the latest change.
	Number int64
	List   []Change
	// All says that more changed than the store remembers, or that it never had
	// the change asked for: everything may be different. List is nil then.
	All bool
}

// Change says that a document of an announced kind was created, replaced or
// deleted, or that an environment or its keys changed in more than the time of
// their last use.
type Change struct {
	Environment tenant.EnvironmentID
	// ID is that of the document, "" where keys changed.
	ID string
}
