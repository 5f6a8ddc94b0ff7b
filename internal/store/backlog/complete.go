// SPDX-License-Identifier: Apache-2.0

package backlog

import (
	"context"
	"math"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// Complete implements store.Backlog.
func (b *Backlog) Complete(ctx context.Context, made []store.Evaluated) error {
	if err := b.begin(ctx); err != nil {
		return err
	}
	list := subjects(made)
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
		if len(c.counts) > 0 {
			batch.Evaluations = append(batch.Evaluations, store.Evaluated{
				Environment: c.env, Span: c.at.Span, Content: c.content, Evaluations: c.counts,
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
		b.finish(c.owner, c.over())
		b.account(c)
	}
	return nil
}

// completion is what a call says of one span.
type completion struct {
	owner
	at      store.Location
	content uint64 // that it was made of, 0 for any
	made    []eval.Evaluation
	pairs   []pair // theirs
	// counts are those that take the place of what is stored, and before is what
	// that had cost.
	counts []eval.Evaluation
	before []float64
	stale  bool // it was made of another content
}

// subjects puts together what a call says, span by span.
func subjects(made []store.Evaluated) []*completion {
	index := map[owner]*completion{}
	var list []*completion
	for i := range made {
		x := &made[i]
		o := ownerOf(x.Location())
		c := index[o]
		if c == nil {
			c = &completion{owner: o, at: x.Location(), content: x.Content}
			index[o] = c
			list = append(list, c)
		}
		for j := range x.Evaluations {
			c.add(&x.Evaluations[j])
		}
	}
	return list
}

// add takes in an evaluation. Of two of one pair the later counts, unless the
// earlier is done.
func (c *completion) add(v *eval.Evaluation) {
	p := pairOf(v)
	i := slices.Index(c.pairs, p)
	switch {
	case i < 0:
		c.pairs = append(c.pairs, p)
		c.made = append(c.made, *v)
	case c.made[i].Status != eval.Done:
		c.made[i] = *v
	}
}

// over returns the evaluations whose leases end: all but those that stay as they
// are because they would be deferred anew.
func (c *completion) over() []pair {
	list := []pair{}
	for i := range c.made {
		if !c.stale && !isOwedAnew(&c.made[i]) {
			list = append(list, c.pairs[i])
		}
	}
	return list
}

// isOwedAnew reports whether an evaluation is deferred as if nobody had tried it
// or put it off.
func isOwedAnew(v *eval.Evaluation) bool {
	return v.Status == eval.Deferred && v.Attempts == 0 && v.Reason != eval.ReasonCost
}

// enter waits until nobody else completes evaluations of the same spans. Until
// leave nobody can lease what they are owed.
func (b *Backlog) enter(ctx context.Context, list []*completion) error {
	for {
		b.mu.Lock()
		if !slices.ContainsFunc(list, func(c *completion) bool { return b.busy[c.owner] }) {
			for _, c := range list {
				b.busy[c.owner] = true
				b.touch(c.owner)
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

func (b *Backlog) leave(list []*completion) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range list {
		delete(b.busy, c.owner)
		b.touch(c.owner)
	}
	close(b.idle)
	b.idle = make(chan struct{})
}

// compare finds out what counts. What is leased is known to be deferred; anything
// else is read.
func (b *Backlog) compare(ctx context.Context, list []*completion) error {
	var unknown []*completion
	b.mu.Lock()
	for _, c := range list {
		held := b.leases[c.owner]
		if held == nil || slices.ContainsFunc(c.pairs, func(p pair) bool { return held.find(p) == nil }) {
			unknown = append(unknown, c)
			continue
		}
		if c.stale = !c.isOf(held.content); c.stale {
			continue
		}
		c.at, c.content = held.at, held.content
		for i := range c.made {
			x := held.find(c.pairs[i])
			c.meet(i, &eval.Evaluation{Status: eval.Deferred, Revision: x.revision, Usage: eval.Usage{Cost: x.cost}})
		}
	}
	b.mu.Unlock()
	if len(unknown) == 0 {
		return nil
	}
	at := make([]store.Location, len(unknown))
	for i, c := range unknown {
		at[i] = c.at
	}
	read, err := b.engine.Evaluations(ctx, at, math.MinInt64, store.Latest)
	if err != nil {
		return err
	}
	found := make(map[owner]*store.Evaluated, len(read))
	for i := range read {
		found[ownerOf(read[i].Location())] = &read[i]
	}
	for _, c := range unknown {
		x := found[c.owner]
		if c.stale = x != nil && !c.isOf(x.Content); x != nil && !c.stale {
			c.at, c.content = x.Location(), x.Content
			c.meetAll(x.Evaluations)
		}
	}
	return nil
}

// isOf reports whether the evaluations were made of this content.
func (c *completion) isOf(content uint64) bool { return c.content == 0 || c.content == content }

// meetAll compares with what is stored of the span.
func (c *completion) meetAll(stored []eval.Evaluation) {
	for i := range c.made {
		j := slices.IndexFunc(stored, func(v eval.Evaluation) bool { return pairOf(&v) == c.pairs[i] })
		if j < 0 {
			c.meet(i, &eval.Evaluation{})
			continue
		}
		c.meet(i, &stored[j])
	}
}

// meet is the rule of completion: done stays but for another verdict of a later
// generation, deferred anew stays, else the newer counts. The status is "" where
// nothing is stored.
func (c *completion) meet(i int, stored *eval.Evaluation) {
	made := &c.made[i]
	switch stored.Status {
	case eval.Done:
		if !isRevised(stored, made) {
			return
		}
	case eval.Deferred:
		if isOwedAnew(made) {
			return
		}
	case eval.Failed, eval.Skipped:
	}
	made.Revision = stored.Revision
	// What ended in the same way at the same time is the same, said again.
	if isJudged(stored) && (stored.Status != made.Status || stored.Time != made.Time) {
		made.Revision++
	}
	c.counts = append(c.counts, *made)
	c.before = append(c.before, stored.Usage.Cost)
}

// isJudged reports whether an evaluation came to a verdict, or failed at it.
func isJudged(v *eval.Evaluation) bool { return v.Status == eval.Done || v.Status == eval.Failed }

// isRevised reports whether a later generation of the setup has come to another
// verdict. Which generation made what is there must be known.
func isRevised(stored, made *eval.Evaluation) bool {
	if made.Status != eval.Done || stored.Generation == 0 || made.Generation <= stored.Generation {
		return false
	}
	return made.Backend != stored.Backend || made.Version != stored.Version ||
		!slices.EqualFunc(made.Outputs, stored.Outputs, func(a, b eval.Output) bool { return a.Name == b.Name && a.Text() == b.Text() })
}
