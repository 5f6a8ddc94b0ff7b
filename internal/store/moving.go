// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"math"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Kept is a span as an engine keeps it: without the verdicts and the messages that
// answers show with it. The retention of its environment is that which the span was
// stored with.
type Kept struct {
	Record // with the evaluations that count, in the order they were made
	// Content is the digest of the span as it was sent.
	Content uint64
	// Predecessors are the evaluations whose place others took.
	Predecessors []eval.Evaluation
	// Version is above that of the same span where it was stored before.
	Version uint64
}

// Expires returns when the retention of the span ends, Unix nanoseconds, or the last
// time there is.
func (k *Kept) Expires() int64 { return expiry(k.Span.Start, k.Environment) }

// KeptMessages are messages as an engine keeps them.
type KeptMessages struct {
	Messages
	// Arrived is a time before which they came, Unix nanoseconds.
	Arrived int64
}

// Expires returns until when the messages are kept, Unix nanoseconds. Those that say they
// happened long ago are kept as long as those that came with them: their span may come yet.
func (m *KeptMessages) Expires() int64 { return expiry(max(m.Time, m.Arrived), m.Environment) }

func expiry(from int64, env tenant.Environment) int64 {
	kept := int64(max(env.Retention, 0))
	if from > math.MaxInt64-kept {
		return math.MaxInt64
	}
	return from + kept
}

// Place is where an engine keeps something, in the order in which it gives all of it.
type Place struct {
	Partition int64 `json:"partition"`
	Row       int64 `json:"row"`
}

// Source is the role of an engine that gives all that it keeps, so that it can be moved to
// another one. No one may write to it meanwhile.
type Source interface {
	// KeptSpans gives f all spans behind a place, past their retention or not, as many
	// at once as fit into memory, and the place of the last. It ends with the first error.
	KeptSpans(ctx context.Context, behind Place, f func(list []Kept, last Place) error) error
	// KeptMessages gives f all messages of the partitions behind that of a place, and a
	// place behind which the rest is.
	KeptMessages(ctx context.Context, behind Place, f func(list []KeptMessages, last Place) error) error
	// CountKept returns how many spans there are, and how many lists of messages.
	CountKept(ctx context.Context) (spans, messages int64, err error)
}

// Destination is the role of an engine that takes what a Source gives.
type Destination interface {
	// Empty reports whether nothing is stored of anybody.
	Empty(ctx context.Context) (bool, error)
	// PutSpans stores spans that have not expired at a time, Unix nanoseconds, as
	// they are. To store them once more changes nothing, and what was written of them
	// in between counts.
	PutSpans(ctx context.Context, list []Kept, at int64) error
	// PutMessages does so with messages.
	PutMessages(ctx context.Context, list []KeptMessages, at int64) error
	// EndOf returns until when it keeps messages that are put in at a time, both Unix nanoseconds.
	EndOf(m *KeptMessages, at int64) int64
	// StoredSpans gives f the spans of an environment that have not expired at a time,
	// as many at once as fit into memory.
	StoredSpans(ctx context.Context, env tenant.Environment, at int64, f func([]Kept) error) error
	// StoredMessages gives f each prompt and completion that came apart from its span and
	// is kept until a time or longer.
	StoredMessages(ctx context.Context, env tenant.EnvironmentID, at int64, f func(StoredMessage) error) error
}

// StoredMessage is a prompt or completion that came apart from its span.
type StoredMessage struct {
	Location   // without a start
	Completion bool
	Key        string
	// Value is XXH64 of the text.
	Value uint64
	// Time is when it happened, Unix nanoseconds.
	Time int64
}
