// SPDX-License-Identifier: Apache-2.0

package opinions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	// Patience is how long opinions wait for their spans.
	Patience = time.Hour
	// maxPause is the longest time between two looks for the spans of a list.
	maxPause = time.Minute
	// maxTogether is how many opinions are in one list.
	maxTogether = 500
)

// waiting is a list of opinions whose spans are not there.
type waiting struct {
	document store.Document
	env      tenant.Environment
	due      time.Time // of the next look
	pause    time.Duration
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
		b.waiting[d.ID] = &waiting{document: d, env: tenant.Environment{ID: d.Environment, Retention: l.Retention}, due: b.now()}
	}
	return nil
}

// wait keeps opinions until their spans come.
func (b *Book) wait(ctx context.Context, env tenant.Environment, early []Given) error {
	for _, some := range parts(early) {
		id := uuid.NewString()
		d := store.Document{Kind: store.OpinionsKind, Environment: env.ID, ID: id, Name: id, CreatedAt: b.now()}
		if err := b.put(ctx, &waiting{document: d, env: env, due: b.now()}, some); err != nil {
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

// put writes what is left of a list.
func (b *Book) put(ctx context.Context, w *waiting, given []Given) error {
	body, err := json.Marshal(list{Retention: w.env.Retention, Given: given})
	if err != nil {
		return fmt.Errorf("write opinions: %w", err)
	}
	d := w.document
	d.Body = body
	if d, err = b.control.Put(ctx, d); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	w.document = d
	b.waiting[d.ID] = w
	return nil
}

// parts returns opinions in lists of at most maxTogether.
func parts(given []Given) (lists [][]Given) {
	n := 0
	for _, g := range given {
		for some := range slices.Chunk(g.Evaluations, maxTogether) {
			if n += len(some); len(lists) == 0 || n > maxTogether {
				lists, n = append(lists, nil), len(some)
			}
			lists[len(lists)-1] = append(lists[len(lists)-1], Given{TraceID: g.TraceID, SpanID: g.SpanID, Evaluations: some})
		}
	}
	return lists
}

// Round looks once for the spans of what waits and is due: the longer something
// waits, the less often. What waited longer than Patience is dropped, and counted.
func (b *Book) Round(ctx context.Context) error {
	now := b.now()
	var errs []error
	for _, w := range b.due(now) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := b.look(ctx, w, now); err != nil {
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
			w.pause = min(max(2*w.pause, 100*time.Millisecond), maxPause)
			w.due = now.Add(w.pause)
			lists = append(lists, w)
		}
	}
	slices.SortFunc(lists, func(x, y *waiting) int { return x.document.CreatedAt.Compare(y.document.CreatedAt) })
	return lists
}

// look stores those opinions of a list whose spans have come.
func (b *Book) look(ctx context.Context, w *waiting, now time.Time) error {
	var l list
	if err := json.Unmarshal(w.document.Body, &l); err != nil {
		return fmt.Errorf("read opinions %q: %w", w.document.ID, err)
	}
	early, err := b.store(ctx, w.env, l.Given)
	if err != nil {
		return err
	}
	over := now.Sub(w.document.CreatedAt) >= Patience
	if len(early) > 0 && !over {
		if len(early) < len(l.Given) {
			err = b.put(ctx, w, early)
			return b.forgetIf(w, gone(err), err)
		}
		return nil
	}
	err = b.control.Delete(ctx, store.OpinionsKind, w.env.ID, w.document.ID)
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

// gone reports whether somebody else has settled a list, or its environment was
// deleted.
func gone(err error) bool { return fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) }

// forgetIf forgets a list; the error of one that is gone is none.
func (b *Book) forgetIf(w *waiting, is bool, err error) error {
	if !is {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.waiting, w.document.ID)
	return nil
}

// Waiting returns how many lists of opinions wait for their spans.
func (b *Book) Waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waiting)
}
