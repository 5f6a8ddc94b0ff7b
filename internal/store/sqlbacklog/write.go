// SPDX-License-Identifier: Apache-2.0

package sqlbacklog

import (
	"context"
	"database/sql"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Over returns the engine as everybody else is to use it: what is written to it
// becomes known to the backlog, and the backlog ends with it.
func (b *Backlog) Over(engine store.Engine) store.Engine { return recorder{Engine: engine, backlog: b} }

// recorder is an engine that tells the backlog what is written.
type recorder struct {
	store.Engine
	backlog *Backlog
}

// Write implements store.Engine.
func (r recorder) Write(ctx context.Context, batch store.Batch) (store.Written, error) {
	return r.backlog.Write(ctx, batch)
}

// Expire implements store.Engine.
func (r recorder) Expire(ctx context.Context, now time.Time) error { return r.backlog.Expire(ctx, now) }

// Delete implements store.Engine: the spans have no pending evaluations any more.
func (r recorder) Delete(ctx context.Context, env tenant.EnvironmentID, of store.Part) error {
	return r.backlog.Delete(ctx, env, of)
}

// Close implements store.Engine.
func (r recorder) Close() error {
	r.backlog.Close()
	return r.Engine.Close()
}

// Write writes to the engine, and puts what is pending from then on into the queue.
// Where nothing is, the database is not asked.
func (b *Backlog) Write(ctx context.Context, batch store.Batch) (store.Written, error) {
	batch = b.withoutDropped(batch)
	written, err := b.engine.Write(ctx, batch)
	if err != nil {
		return written, err // who writes it again puts it into the queue, or Sweep does
	}
	rows := owedRows(&batch)
	if len(rows) == 0 && len(written.Replaced) == 0 {
		return written, nil
	}
	err = b.transact(ctx, "store pending evaluations", func(ctx context.Context, tx *sql.Tx) error {
		gone := make([]name, len(written.Replaced))
		for i, l := range written.Replaced {
			gone[i].Owner = l.Owner()
		}
		if err := about(ctx, tx, `DELETE FROM owed AS o USING `+named+` WHERE `+isOwner, gone); err != nil {
			return err
		}
		return owe(ctx, tx, rows, false)
	})
	if b.added.Tell(&batch, b.now()) && err == nil {
		b.others.tell(b.db)
	}
	return written, err
}

// owedRows returns what of a batch is deferred.
func owedRows(batch *store.Batch) (rows []row) {
	var buffer []byte
	for i := range batch.Records {
		r := &batch.Records[i]
		var content uint64
		for j := range r.Evaluations {
			if v := &r.Evaluations[j]; v.Status == eval.Deferred {
				if content == 0 {
					content, buffer = store.Digest(buffer, &r.Span)
				}
				rows = append(rows, rowOf(store.Location{Environment: r.Environment.ID, Span: r.Span.Key()}, content, r.Environment.Retention, v))
			}
		}
	}
	for i := range batch.Evaluations {
		e := &batch.Evaluations[i]
		for j := range e.Evaluations {
			if v := &e.Evaluations[j]; v.Status == eval.Deferred {
				rows = append(rows, rowOf(e.Location(), e.Content, longest, v))
			}
		}
	}
	return rows
}

// withoutDropped returns what of a batch is of environments that are not dropped.
func (b *Backlog) withoutDropped(batch store.Batch) store.Batch {
	b.mu.Lock()
	defer b.mu.Unlock()
	return batch.Without(b.dropped)
}
