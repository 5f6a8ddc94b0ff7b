// SPDX-License-Identifier: Apache-2.0

package opinions

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/pace"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	// Patience is how long opinions wait for their spans.
	Patience = time.Hour
	// minPause and maxPause are the times between two looks for the spans of a list, and
	// minPauseSought between those that have to search.
	minPause       = 100 * time.Millisecond
	minPauseSought = 2 * time.Second
	maxPause       = 64 * time.Second
	// maxWaitingBytes is how many bytes of opinions may wait in an environment; they
	// are kept in memory too.
	maxWaitingBytes = 16 << 20
	// MaxSought is how many lists of opinions may wait in an environment whose spans
	// have to be searched for.
	MaxSought = 200
	// maxTogether is how many opinions are in one list, and maxBytesTogether how many
	// bytes of texts if these are several.
	maxTogether      = 500
	maxBytesTogether = 1 << 20
)

// waiting is a list of opinions whose spans are not there.
type waiting struct {
	document store.Document
	env      tenant.Environment
	due      time.Time // of the next look
	looks    int       // how often the spans were looked for
	about    *Entity   // whose span has to be searched for; nil where the list names spans
}

// list is the body of a document.
type list struct {
	Retention time.Duration `json:"retention"`
	Given     []Given       `json:"given"`
}

// UnmarshalJSON reads what the default encoding wrote: outputs come back as the
// types that they were.
func (l *list) UnmarshalJSON(text []byte) error {
	type plain list
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode((*plain)(l)); err != nil {
		return err
	}
	for i := range l.Given {
		for j := range l.Given[i].Evaluations {
			if err := numbers(l.Given[i].Evaluations[j].Outputs); err != nil {
				return err
			}
		}
	}
	return nil
}

// numbers gives numbers their type: whole ones of opinions are scores as well.
func numbers(outputs []eval.Output) (err error) {
	for i := range outputs {
		if n, is := outputs[i].Value.(json.Number); is {
			if outputs[i].Value, err = n.Float64(); err != nil {
				return fmt.Errorf("read an opinion: %w", err)
			}
		}
	}
	return nil
}

// load reads what waits since before the start.
func (b *Book) load(ctx context.Context) error {
	documents, err := b.control.List(ctx, store.DocumentFilter{Kind: store.OpinionsKind})
	if err != nil {
		return err
	}
	for _, d := range documents {
		var l list
		if err := json.Unmarshal(d.Body, &l); err != nil {
			return fmt.Errorf("read opinions %q: %w", d.ID, err)
		}
		b.bytes[d.Environment] += len(d.Body)
		b.waiting[d.ID] = &waiting{document: d, env: tenant.Environment{ID: d.Environment, Retention: l.Retention}, due: b.now(), about: about(l.Given)}
	}
	return nil
}

// wait keeps opinions until their spans come.
func (b *Book) wait(ctx context.Context, env tenant.Environment, early []Given) error {
	for _, some := range parts(early) {
		id := identity(env.ID, some)
		d := store.Document{Kind: store.OpinionsKind, Environment: env.ID, ID: id, Name: id, CreatedAt: b.now()}
		if b.waits(id) { // the request was sent again
			continue
		}
		w := &waiting{document: d, env: env, due: b.now(), about: about(some)}
		if w.about != nil && b.sought(env.ID) >= MaxSought {
			return fault.New(fault.Unavailable, "too many opinions wait for their spans")
		}
		if err := b.put(ctx, w, some); err != nil {
			if fault.Is(err, fault.Conflict) { // to another process
				continue
			}
			if fault.Is(err, fault.Invalid) { // as many wait as may
				return fault.Wrap(fault.Unavailable, err, "too many opinions wait for their spans")
			}
			return err
		}
		b.mu.Lock()
		for _, g := range some {
			b.counts.Waited += int64(len(g.Evaluations))
		}
		b.mu.Unlock()
	}
	return nil
}

// identity returns an id that opinions have whenever they are sent.
func identity(env tenant.EnvironmentID, given []Given) string {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode([]any{env, given}) // what is no JSON is found by who writes it
	return uuid.NewSHA1(uuid.Nil, h.Sum(nil)).String()
}

// waits reports whether a list does.
func (b *Book) waits(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.waiting[id] != nil
}

// sought returns how many lists of an environment wait whose spans have to be searched
// for.
func (b *Book) sought(env tenant.EnvironmentID) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.waiting {
		if w.about != nil && w.env.ID == env {
			n++
		}
	}
	return n
}

// put writes what is left of a list.
func (b *Book) put(ctx context.Context, w *waiting, given []Given) error {
	body, err := json.Marshal(list{Retention: w.env.Retention, Given: given})
	if err != nil {
		return fmt.Errorf("write opinions: %w", err)
	}
	d := w.document
	grown := len(body) - len(d.Body)
	if d.Revision == 0 && !b.fits(d.Environment, grown) {
		return fault.New(fault.Unavailable, "too many opinions wait for their spans")
	}
	d.Body = body
	if d, err = b.control.Put(ctx, d); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	w.document = d
	b.waiting[d.ID] = w
	b.bytes[d.Environment] += grown
	return nil
}

// fits reports whether so many bytes more may wait.
func (b *Book) fits(env tenant.EnvironmentID, more int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bytes[env]+more <= maxWaitingBytes
}

// parts returns opinions in lists of at most maxTogether, and those about an entity in
// lists of their own.
func parts(given []Given) (lists [][]Given) {
	for i := range given {
		if given[i].About != nil {
			return append(parts(slices.Concat(given[:i], given[i+1:])), given[i:i+1])
		}
	}
	n, used := 0, 0
	for _, g := range given {
		for _, e := range g.Evaluations {
			size := sizeOf(&e)
			if n, used = n+1, used+size; len(lists) == 0 || n > maxTogether || used > maxBytesTogether {
				lists, n, used = append(lists, nil), 1, size
			}
			last := &lists[len(lists)-1]
			if i := len(*last) - 1; i < 0 || (*last)[i].key() != g.key() {
				*last = append(*last, Given{TraceID: g.TraceID, SpanID: g.SpanID})
			}
			of := &(*last)[len(*last)-1]
			of.Evaluations = append(of.Evaluations, e)
		}
	}
	return lists
}

// sizeOf returns about how many bytes the texts of an opinion have.
func sizeOf(e *eval.Evaluation) int {
	n := len(e.SetupID) + len(e.Evaluator)
	for _, o := range e.Outputs {
		text, _ := o.Value.(string)
		n += len(o.Name) + len(text)
	}
	return n
}

// Round looks once for the spans of what waits and is due: the longer something
// waits, the less often. What waited longer than Patience is dropped, and counted.
func (b *Book) Round(ctx context.Context) error {
	now := b.now()
	due := b.due(now)
	absent, err := b.absent(ctx, due)
	if err != nil {
		return err
	}
	var errs []error
	for _, w := range due {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := b.look(ctx, w, now, absent[w]); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// due returns the lists to look for, and says when each is next.
func (b *Book) due(now time.Time) (lists []*waiting) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.waiting {
		if !w.due.After(now) {
			w.looks++
			if w.about == nil {
				w.due = now.Add(pace.Doubled(minPause, maxPause, w.looks))
			} else { // all at the same times
				pause := pace.Doubled(minPauseSought, maxPause, w.looks)
				w.due = now.Truncate(pause).Add(pause)
			}
			lists = append(lists, w)
		}
	}
	slices.SortFunc(lists, func(x, y *waiting) int { return x.document.CreatedAt.Compare(y.document.CreatedAt) })
	return lists
}

// look stores those opinions of a list whose spans have come, unless it is known that
// none has.
func (b *Book) look(ctx context.Context, w *waiting, now time.Time, absent bool) error {
	var l list
	if err := json.Unmarshal(w.document.Body, &l); err != nil {
		return fmt.Errorf("read opinions %q: %w", w.document.ID, err)
	}
	early := l.Given
	if !absent {
		on, sought, err := b.found(ctx, w.env, l.Given, w.document.CreatedAt.Add(-startsBefore).UnixNano())
		if err != nil {
			return err
		}
		if early, err = b.store(ctx, w.env, on); err != nil {
			return err
		}
		early = append(early, sought...)
	}
	over := now.Sub(w.document.CreatedAt) >= Patience
	if len(early) > 0 && !over {
		if len(early) < len(l.Given) {
			err := b.put(ctx, w, early)
			return b.forgetIf(w, gone(err), err)
		}
		return nil
	}
	err := b.control.Delete(ctx, store.OpinionsKind, w.env.ID, w.document.ID)
	if err != nil && !gone(err) {
		return err
	}
	b.mu.Lock()
	for _, g := range early {
		b.counts.Dropped += int64(len(g.Evaluations))
	}
	b.mu.Unlock()
	return b.forgetIf(w, true, nil)
}

// gone reports whether another call has closed a list, or its environment was
// deleted.
func gone(err error) bool { return fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) }

// forgetIf forgets a list; the error of one that is gone is none.
func (b *Book) forgetIf(w *waiting, is bool, err error) error {
	if !is {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting[w.document.ID] != nil {
		delete(b.waiting, w.document.ID)
		if b.bytes[w.env.ID] -= len(w.document.Body); b.bytes[w.env.ID] == 0 {
			delete(b.bytes, w.env.ID)
		}
	}
	return nil
}

// Waiting returns how many lists of opinions wait for their spans.
func (b *Book) Waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waiting)
}
