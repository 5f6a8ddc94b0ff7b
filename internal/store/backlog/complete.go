// SPDX-License-Identifier: Apache-2.0

package backlog

import (
	"context"
	"math"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/completion"
)

// Complete implements store.Backlog.
func (b *Backlog) Complete(ctx context.Context, made []store.Evaluated) error {
	if err := b.begin(ctx); err != nil {
		return err
	}
	list := completion.Subjects(made)
	if len(list) == 0 {
		return nil
	}
	if err := b.enter(ctx, list); err != nil {
		return err
	}
	defer b.leave(list)
	if err := b.compare(ctx, list); err != nil {
		return err
	}
	var batch store.Batch
	for _, c := range list {
		if len(c.Counts) > 0 {
			batch.Evaluations = append(batch.Evaluations, store.Evaluated{
				Environment: c.Environment, Span: c.At.Span, Content: c.Content, Evaluations: c.Counts,
			})
		}
	}
	if len(batch.Evaluations) > 0 {
		if _, err := b.Write(ctx, batch); err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range list {
		b.finish(c.Owner, c.Over())
		b.account(c)
	}
	return nil
}

// enter waits until no other call completes evaluations of the same spans. Until
// leave no worker can lease their pending evaluations.
func (b *Backlog) enter(ctx context.Context, list []*completion.Subject) error {
	for {
		b.mu.Lock()
		if !slices.ContainsFunc(list, func(c *completion.Subject) bool { return b.busy[c.Owner] }) {
			for _, c := range list {
				b.busy[c.Owner] = true
				b.touch(c.Owner)
			}
			b.mu.Unlock()
			return nil
		}
		idle := b.idle
		b.mu.Unlock()
		select {
		case <-idle:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (b *Backlog) leave(list []*completion.Subject) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range list {
		delete(b.busy, c.Owner)
		b.touch(c.Owner)
	}
	close(b.idle)
	b.idle = make(chan struct{})
}

// compare finds out what counts. What is leased is known to be deferred; anything
// else is read.
func (b *Backlog) compare(ctx context.Context, list []*completion.Subject) error {
	var unknown []*completion.Subject
	b.mu.Lock()
	for _, c := range list {
		held := b.leases[c.Owner]
		if held == nil || slices.ContainsFunc(c.Pairs, func(p pair) bool { return held.find(p) == nil }) {
			unknown = append(unknown, c)
			continue
		}
		if c.Stale = !c.IsOf(held.content); c.Stale {
			continue
		}
		c.At, c.Content = held.at, held.content
		for i := range c.Made {
			x := held.find(c.Pairs[i])
			c.Meet(i, &eval.Evaluation{Status: eval.Deferred, Revision: x.revision, Usage: eval.Usage{Cost: x.cost}})
		}
	}
	b.mu.Unlock()
	if len(unknown) == 0 {
		return nil
	}
	at := make([]store.Location, len(unknown))
	for i, c := range unknown {
		at[i] = c.At
	}
	read, err := b.engine.Evaluations(ctx, at, math.MinInt64, store.Latest)
	if err != nil {
		return err
	}
	found := make(map[store.Owner]*store.Evaluated, len(read))
	for i := range read {
		found[read[i].Location().Owner()] = &read[i]
	}
	for _, c := range unknown {
		x := found[c.Owner]
		if c.Stale = x != nil && !c.IsOf(x.Content); x != nil && !c.Stale {
			c.At, c.Content = x.Location(), x.Content
			c.MeetAll(x.Evaluations)
		}
	}
	return nil
}
