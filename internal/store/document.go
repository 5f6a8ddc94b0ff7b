// SPDX-License-Identifier: Apache-2.0

package store

import (
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Kind says what a document is.
type Kind string

// The kinds of documents.
const (
	SetupKind     Kind = "setup"
	EvaluatorKind Kind = "evaluator"
	BackfillKind  Kind = "backfill"
	OpinionsKind  Kind = "opinions"  // that wait for their spans
	DeletionKind  Kind = "deletion"  // of what is stored of people
	AllowListKind Kind = "allowlist" // of people whose texts may be sent

	AlertKind        Kind = "alert"        // rule
	AlertStateKind   Kind = "alertstate"   // what is known of a rule
	NotificationKind Kind = "notification" // of a rule

	ViewKind Kind = "view" // a named list of the web UI
)

// Bounds of what is stored.
const (
	// MaxSetups is how many auto monitor setups an environment may have.
	MaxSetups = 1000
	// MaxEvaluators is how many evaluators an environment may have.
	MaxEvaluators = 200
	// KeptVersions is how many versions of an evaluator are kept, the latest.
	KeptVersions = 50
	// MaxOpenBackfills is how many backfills of one setup may be under way.
	MaxOpenBackfills = 5
	// MaxOpenBackfillsInAll is how many backfills of one environment may be.
	MaxOpenBackfillsInAll = 20
	// MaxWaitingOpinions is how many lists of opinions, one of each request, may wait
	// for their spans in an environment.
	MaxWaitingOpinions = 2000
	// maxDeletions is how many deletions of data an environment may have, those that
	// were completed lately included, and MaxOpenDeletions how many under way.
	maxDeletions, MaxOpenDeletions = 1000, 20
	// MaxAlerts is how many alerts an environment may have.
	MaxAlerts = 100
	// MaxViews is how many views an environment may have.
	MaxViews = 200
	// KeptChanges is how many changes are remembered. A process that is further
	// behind reads everything again.
	KeptChanges = 10_000
)

// Rules are what every engine keeps for documents of a kind.
type Rules struct {
	// Noun is what users call such a document, and Name what they call its name.
	Noun, Name string
	// Parent is the kind of the document that each is deleted with, "" where they
	// have none.
	Parent Kind
	// Max is how many one environment may have, MaxOpen how many one parent may
	// have open, and MaxOpenInAll how many one environment; 0 is any number.
	Max, MaxOpen, MaxOpenInAll int
	// KeptRevisions is how many revisions of each are kept, the latest; 0 is
	// that none is but the current one.
	KeptRevisions int64
	// Announced says that Changes tells of them.
	Announced bool
	// Refers returns what the body of a document refers to, nil where the kind refers to
	// nothing; ReferredBy is the kind that refers to this one, "" where none does.
	Refers     func(body []byte) []Reference
	ReferredBy Kind
	// Forgetful says that no file has anything of what a document was before, when
	// one that is not open takes its place.
	Forgetful bool
}

var kinds = map[Kind]Rules{
	SetupKind:     {Noun: "auto monitor setup", Name: "external_id", Max: MaxSetups, Announced: true, Refers: setupRefers},
	EvaluatorKind: {Noun: "evaluator", Name: "slug", Max: MaxEvaluators, KeptRevisions: KeptVersions, ReferredBy: SetupKind},
	BackfillKind:  {Noun: "backfill", Name: "id", Parent: SetupKind, MaxOpen: MaxOpenBackfills, MaxOpenInAll: MaxOpenBackfillsInAll},
	OpinionsKind:  {Noun: "list of opinions", Name: "id", Max: MaxWaitingOpinions},
	AllowListKind: {Noun: "allow list", Name: "id", Max: 1, Forgetful: true},
	DeletionKind:  {Noun: "data deletion", Name: "id", Max: maxDeletions, MaxOpenInAll: MaxOpenDeletions, Forgetful: true},

	AlertKind:        {Noun: "alert", Name: "name", Max: MaxAlerts},
	AlertStateKind:   {Noun: "state of an alert", Name: "id", Parent: AlertKind},
	NotificationKind: {Noun: "notification", Name: "id", Parent: AlertKind},

	ViewKind: {Noun: "view", Name: "name", Max: MaxViews},
}

// Rules returns what holds for documents of the kind.
func (k Kind) Rules() Rules { return kinds[k] }

// NotFound is the answer where there is no such document.
func (k Kind) NotFound() error { return fault.New(fault.NotFound, "%s not found", k.Rules().Noun) }

// Changed is the answer to a replacement of a revision that is not the latest.
func (k Kind) Changed() error {
	return fault.New(fault.Conflict, "%s was changed by someone else", k.Rules().Noun)
}

// Taken is the answer where another document has the name or the id.
func (k Kind) Taken(cause error) error {
	return fault.Wrap(fault.Conflict, cause, "%s already exists in this environment", k.Rules().Name)
}

// TooMany is the answer where an environment has Max documents.
func (k Kind) TooMany() error {
	r := k.Rules()
	return fault.New(fault.Invalid, "an environment may have at most %d %ss of its own", r.Max, r.Noun)
}

// TooManyOpen is the answer where a parent has MaxOpen open documents.
func (k Kind) TooManyOpen() error {
	r := k.Rules()
	return fault.New(fault.Conflict, "the %s has %d %ss under way: wait for one of them, or cancel it", r.Parent.Rules().Noun, r.MaxOpen, r.Noun)
}

// TooManyOpenInAll is the answer where an environment has MaxOpenInAll open
// documents.
func (k Kind) TooManyOpenInAll() error {
	r := k.Rules()
	return fault.New(fault.Conflict, "the environment has %d %ss under way: wait for one of them, or cancel it", r.MaxOpenInAll, r.Noun)
}

// Document is a setup, an evaluator, a backfill or a list of opinions as a control store keeps it:
// what the store has to know of it, and the rest as JSON.
type Document struct {
	Kind        Kind
	Environment tenant.EnvironmentID
	// ID is unique among all documents of the kind, Name among those of the
	// environment.
	ID, Name string
	// Parent is the ID of the document that this one is deleted with, "" where the
	// kind has none.
	Parent string
	// Open says that work on the document is not over.
	Open bool
	// Revision counts the writes, from 1; Label is another name of this revision.
	Revision  int64
	Label     string
	CreatedAt time.Time
	// Body is a JSON object of UTF-8, which the store does not look into but for what it
	// refers to.
	Body []byte
}

// DocumentFilter narrows a list of documents; zero fields but Kind do not.
type DocumentFilter struct {
	Kind        Kind
	Environment tenant.EnvironmentID
	// Name is what one document of Environment goes by: its name, or where no other
	// document has that as its name, its ID. Parent, IDs and Open narrow no further.
	Name string
	// Revision is the number of a kept revision in decimal, or where there is none
	// its label. It goes with a Name, whose document is listed as it was then.
	Revision string
	Parent   string
	IDs      []string
	Open     bool
}
