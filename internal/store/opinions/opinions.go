// SPDX-License-Identifier: Apache-2.0

// Package opinions takes in verdicts that others gave on spans: applications with
// their SDKs, other products, people. They are stored as evaluations of their
// source; a later one of the same source, giver and name is the next revision, and
// its predecessors are kept. Those whose spans have not come yet wait for them,
// durably, in the control store.
package opinions

import (
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Engine is what is asked of the span store, under its contract.
type Engine interface {
	store.Searcher
	Write(ctx context.Context, b store.Batch) (store.Written, error)
	Evaluations(ctx context.Context, at []store.Location, from int64, which store.Revisions) ([]store.Evaluated, error)
}

// Provider is an extension that provides the opinions of others.
type Provider interface {
	Opinions() *Book
}

// Given are opinions on one span, or About what some span has the id of, for which
// they wait first.
type Given struct {
	TraceID     span.TraceID
	SpanID      span.ID
	About       *Entity `json:",omitempty"`
	Evaluations []eval.Evaluation
}

// Book takes in opinions. It is safe for concurrent use.
type Book struct {
	engine  Engine
	control store.Documents
	now     func() time.Time

	// turns let one caller at a time read the revision of an opinion and write the
	// next one.
	turns [64]sync.Mutex
	seed  maphash.Seed

	mu      sync.Mutex
	waiting map[string]*waiting          // by id
	bytes   map[tenant.EnvironmentID]int // of what waits
	counts  Counts
}

// Counts is what became of opinions since the start.
type Counts struct {
	Stored  int64 // on their spans
	Waited  int64 // came before their spans
	Dropped int64 // their spans did not come in time
}

// Open returns a book that knows what waits.
func Open(ctx context.Context, engine Engine, control store.Documents, now func() time.Time) (*Book, error) {
	b := &Book{engine: engine, control: control, now: now, seed: maphash.MakeSeed(), waiting: map[string]*waiting{}, bytes: map[tenant.EnvironmentID]int{}}
	return b, b.load(ctx)
}

// Counts returns what became of opinions since the start.
func (b *Book) Counts() Counts {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.counts
}

// Add takes in opinions. When it returns nil all of them would survive a crash: on
// their spans or, while these are not there, waiting for them. What says the same
// as an opinion that is there already changes nothing, so that the call may be
// made again. Where too many wait already it answers Unavailable.
func (b *Book) Add(ctx context.Context, env tenant.Environment, given []Given) error {
	if len(given) == 0 {
		return nil
	}
	var sought []Given
	given = slices.DeleteFunc(slices.Clone(given), func(g Given) bool {
		if g.About != nil {
			sought = append(sought, g)
		}
		return g.About != nil
	})
	early, err := b.store(ctx, env, given)
	if err != nil {
		return err
	}
	return b.wait(ctx, env, append(early, sought...))
}

// store writes opinions on spans that are there, and returns the others.
func (b *Book) store(ctx context.Context, env tenant.Environment, given []Given) (early []Given, err error) {
	if len(given) == 0 {
		return nil, nil
	}
	given = merged(given)
	defer b.hold(env, given)()
	at := make([]store.Location, len(given))
	for i := range given {
		at[i] = store.Location{Environment: env.ID, Span: given[i].key()}
	}
	found, err := b.engine.Evaluations(ctx, at, b.first(env), store.Latest)
	if err != nil {
		return nil, err
	}
	stored := make(map[span.Key]*store.Evaluated, len(found))
	for i := range found { // of several of the same ids the one that started last
		k := found[i].Span
		k.Start = 0
		stored[k] = &found[i]
	}
	var batch store.Batch
	n := int64(0)
	for i := range given {
		of := stored[given[i].key()]
		if of == nil {
			early = append(early, given[i])
			continue
		}
		n += int64(len(given[i].Evaluations))
		if next := newer(of, given[i].Evaluations); len(next) > 0 {
			batch.Evaluations = append(batch.Evaluations, store.Evaluated{Environment: env.ID, Span: of.Span, Content: of.Content, Evaluations: next})
		}
	}
	if len(batch.Evaluations) > 0 {
		if _, err := b.engine.Write(ctx, batch); err != nil {
			return nil, err
		}
	}
	b.mu.Lock()
	b.counts.Stored += n
	b.mu.Unlock()
	return early, nil
}

// Correct stores one opinion on a stored span, and returns it as stored. Where
// correcting is not 0 it answers Conflict unless the latest revision, counted from
// 1, is that; NotFound where the span is not there.
func (b *Book) Correct(ctx context.Context, env tenant.Environment, key span.Key, made eval.Evaluation, correcting int64) (eval.Evaluation, error) {
	given := []Given{{TraceID: key.TraceID, SpanID: key.SpanID}}
	defer b.hold(env, given)()
	found, err := b.engine.Evaluations(ctx, []store.Location{{Environment: env.ID, Span: key}}, b.first(env), store.Latest)
	if err != nil {
		return made, err
	}
	if len(found) == 0 {
		return made, fault.New(fault.NotFound, "span not found")
	}
	of := &found[len(found)-1] // of several of the same ids the one that started last
	latest := counting(of, &made)
	switch {
	case correcting != 0 && (latest == nil || latest.Revision+1 != correcting):
		return made, fault.New(fault.Conflict, "corrects must be the latest revision of the label: another one has corrected it, or there is none")
	case latest != nil && latest.Says(&made):
		return *latest, nil
	case latest != nil:
		made.Revision = latest.Revision + 1
	}
	_, err = b.engine.Write(ctx, store.Batch{Evaluations: []store.Evaluated{{
		Environment: env.ID, Span: of.Span, Content: of.Content, Evaluations: []eval.Evaluation{made},
	}}})
	if err == nil {
		b.mu.Lock()
		b.counts.Stored++
		b.mu.Unlock()
	}
	return made, err
}

// newer returns the opinions that say something else than those that are there,
// with their revisions.
func newer(of *store.Evaluated, given []eval.Evaluation) (next []eval.Evaluation) {
	for _, e := range given {
		latest := counting(of, &e)
		if latest != nil {
			if latest.Says(&e) || e.Time < latest.Time { // an older one that comes again or late
				continue
			}
			e.Revision = latest.Revision + 1
		}
		next = append(next, e)
	}
	return next
}

// counting returns the evaluation whose place another would take, nil for none.
func counting(of *store.Evaluated, e *eval.Evaluation) *eval.Evaluation {
	for i := range of.Evaluations {
		if x := &of.Evaluations[i]; x.SetupID == e.SetupID && x.Evaluator == e.Evaluator {
			return x
		}
	}
	return nil
}

// merged returns opinions with those of one span together; of two of one giver and
// name the later counts.
func merged(given []Given) []Given {
	type name struct{ setup, evaluator string }
	at := map[span.Key]int{}
	var list []Given
	places := map[span.Key]map[name]int{}
	for _, g := range given {
		k := g.key()
		i, known := at[k]
		if !known {
			i = len(list)
			at[k], places[k] = i, map[name]int{}
			list = append(list, Given{TraceID: g.TraceID, SpanID: g.SpanID})
		}
		for _, e := range g.Evaluations {
			n := name{e.SetupID, e.Evaluator}
			if j, again := places[k][n]; again {
				if e.Time >= list[i].Evaluations[j].Time {
					list[i].Evaluations[j] = e
				}
				continue
			}
			places[k][n] = len(list[i].Evaluations)
			list[i].Evaluations = append(list[i].Evaluations, e)
		}
	}
	return list
}

// hold has other callers wait that write opinions on these spans, until what it
// returns is called.
func (b *Book) hold(env tenant.Environment, given []Given) func() {
	var wanted [len(b.turns)]bool
	for i := range given {
		k := given[i].key()
		wanted[maphash.Comparable(b.seed, store.Location{Environment: env.ID, Span: k})%uint64(len(b.turns))] = true
	}
	for i, w := range wanted { // in one order, so that no caller waits in a circle
		if w {
			b.turns[i].Lock()
		}
	}
	return func() {
		for i, w := range wanted {
			if w {
				b.turns[i].Unlock()
			}
		}
	}
}

// first is the earliest start, Unix nanoseconds, of spans within retention.
func (b *Book) first(env tenant.Environment) int64 { return b.now().Add(-env.Retention).UnixNano() }

func (g *Given) key() span.Key { return span.Key{TraceID: g.TraceID, SpanID: g.SpanID} }
