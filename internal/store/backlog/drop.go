// SPDX-License-Identifier: Apache-2.0

package backlog

import (
	"context"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Drop implements store.Engine.
func (r recorder) Drop(ctx context.Context, env tenant.EnvironmentID) error {
	if err := r.backlog.begin(ctx); err != nil {
		return err
	}
	r.backlog.forget(env)
	return r.Engine.Drop(ctx, env)
}

// Delete implements store.Engine: what was leased of the spans is not any more.
func (r recorder) Delete(ctx context.Context, env tenant.EnvironmentID, spans []span.Key) error {
	if err := r.backlog.begin(ctx); err != nil {
		return err
	}
	err := r.Engine.Delete(ctx, env, spans)
	r.backlog.mu.Lock()
	defer r.backlog.mu.Unlock()
	for _, k := range spans { // after an error, too: any of them may be gone
		o := ownerOf(store.Location{Environment: env, Span: k})
		r.backlog.touch(o)
		r.backlog.finish(o, nil)
	}
	return err
}

// forget ends all work for an environment, for good: nobody leases what it is
// owed from then on, and what is written of it is passed over.
func (b *Backlog) forget(env tenant.EnvironmentID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dropped[env] = true
	for o := range b.leases {
		if o.Environment == env {
			b.finish(o, nil)
		}
	}
	b.index.remove(env)
	for a := range b.ledgers {
		if a.env == env {
			delete(b.ledgers, a)
		}
	}
}

// withoutDropped returns what of a batch is of environments that are not dropped.
func (b *Backlog) withoutDropped(batch store.Batch) store.Batch {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.dropped) == 0 {
		return batch
	}
	// Most batches have nothing of them, and stay the caller's.
	if slices.ContainsFunc(batch.Records, func(r store.Record) bool { return b.dropped[r.Environment.ID] }) {
		batch.Records = slices.DeleteFunc(slices.Clone(batch.Records), func(r store.Record) bool { return b.dropped[r.Environment.ID] })
	}
	if slices.ContainsFunc(batch.Messages, func(m store.Messages) bool { return b.dropped[m.Environment.ID] }) {
		batch.Messages = slices.DeleteFunc(slices.Clone(batch.Messages), func(m store.Messages) bool { return b.dropped[m.Environment.ID] })
	}
	if slices.ContainsFunc(batch.Evaluations, func(e store.Evaluated) bool { return b.dropped[e.Environment] }) {
		batch.Evaluations = slices.DeleteFunc(slices.Clone(batch.Evaluations), func(e store.Evaluated) bool { return b.dropped[e.Environment] })
	}
	return batch
}
