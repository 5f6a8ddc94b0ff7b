// SPDX-License-Identifier: Apache-2.0

package sqlbacklog

import (
	"context"
	"database/sql"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/completion"
)

// Complete implements store.Backlog. The verdicts are in the engine before the queue
// knows: a crash in between has them leased again, found done, and not made again.
func (b *Backlog) Complete(ctx context.Context, made []store.Evaluated) error {
	if err := b.begin(ctx); err != nil {
		return err
	}
	list := slices.DeleteFunc(completion.Subjects(made), func(c *completion.Subject) bool { return b.isDropped(c.Environment) })
	if len(list) == 0 {
		return nil
	}
	return b.transact(ctx, "complete", func(ctx context.Context, tx *sql.Tx) error {
		if err := oneAfterTheOther(ctx, tx, list); err != nil {
			return err
		}
		if err := b.compare(ctx, list); err != nil {
			return err
		}
		if err := b.writeCounts(ctx, list); err != nil {
			return err
		}
		if err := spend(ctx, tx, list); err != nil {
			return err
		}
		return finish(ctx, tx, list)
	})
}

// completionLock and completionLocks are the first number and how many second ones
// there are of the locks under which spans are completed.
const completionLock, completionLocks = 0x746f7563, 256 // "touc"

// oneAfterTheOther waits until no other call completes evaluations of the same spans,
// or of such as share their locks, which all take in one order.
func oneAfterTheOther(ctx context.Context, tx *sql.Tx, list []*completion.Subject) error {
	var locks []int32
	for _, c := range list {
		h := xxhash.New()
		_, _ = h.WriteString(string(c.Environment)) // never fails
		_, _ = h.Write(c.Span.TraceID[:])
		_, _ = h.Write(c.Span.SpanID[:])
		locks = append(locks, int32(h.Sum64()%completionLocks))
	}
	slices.Sort(locks)
	locks = slices.Compact(locks)
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1::int, n) FROM (SELECT n FROM unnest($2::int[]) AS l (n) ORDER BY n) AS l", completionLock, locks)
	return err
}

// compare finds out what counts.
func (b *Backlog) compare(ctx context.Context, list []*completion.Subject) error {
	at := make([]store.Location, len(list))
	for i, c := range list {
		at[i] = c.At
	}
	read, err := b.engine.Evaluations(ctx, at, -1<<63, store.Latest)
	if err != nil {
		return err
	}
	found := make(map[store.Owner]*store.Evaluated, len(read))
	for i := range read {
		found[read[i].Location().Owner()] = &read[i]
	}
	for _, c := range list {
		x := found[c.Owner]
		// What is not there stays pending: it may be that only this process does not see it.
		if c.Stale = x == nil || !c.IsOf(x.Content); !c.Stale {
			c.At, c.Content = x.Location(), x.Content
			c.MeetAll(x.Evaluations)
		}
	}
	return nil
}

// writeCounts writes what counts to the engine.
func (b *Backlog) writeCounts(ctx context.Context, list []*completion.Subject) error {
	var batch store.Batch
	for _, c := range list {
		if len(c.Counts) > 0 {
			batch.Evaluations = append(batch.Evaluations, store.Evaluated{
				Environment: c.Environment, Span: c.At.Span, Content: c.Content, Evaluations: c.Counts,
			})
		}
	}
	if len(batch.Evaluations) == 0 {
		return nil
	}
	_, err := b.engine.Write(ctx, batch)
	return err
}

// finish ends leases: what is deferred is due when it says, the rest is out of the
// queue.
func finish(ctx context.Context, tx *sql.Tx, list []*completion.Subject) error {
	var over []name
	var rows []row
	for _, c := range list {
		deferred := make(map[completion.Pair]bool)
		for i := range c.Counts {
			if v := &c.Counts[i]; v.Status == eval.Deferred {
				deferred[completion.PairOf(v)] = true
				rows = append(rows, rowOf(c.At, c.Content, longest, v))
			}
		}
		for _, p := range c.Over() {
			if !deferred[p] {
				over = append(over, name{c.Owner, p})
			}
		}
	}
	if err := takeOut(ctx, tx, over); err != nil {
		return err
	}
	return owe(ctx, tx, rows, true)
}
