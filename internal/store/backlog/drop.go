// SPDX-License-Identifier: Apache-2.0

package backlog

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Delete implements store.Engine: what was leased of the spans is not any more, and
// nothing of them is pending.
func (r recorder) Delete(ctx context.Context, env tenant.EnvironmentID, of store.Part) error {
	if err := r.backlog.begin(ctx); err != nil {
		return err
	}
	if of.Everything {
		r.backlog.forget(env)
		return r.Engine.Delete(ctx, env, of)
	}
	err := r.Engine.Delete(ctx, env, of)
	r.backlog.mu.Lock()
	defer r.backlog.mu.Unlock()
	for _, k := range of.Spans { // after an error, too: any of them may be gone
		o := store.Location{Environment: env, Span: k}.Owner()
		r.backlog.touch(o)
		r.backlog.finish(o, nil)
	}
	return err
}

// forget ends all work for an environment, for good: no worker leases its
// evaluations from then on, and what is written of it is passed over.
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
	return batch.Without(b.dropped)
}
