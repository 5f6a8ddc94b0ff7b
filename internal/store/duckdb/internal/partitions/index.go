// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/index"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
)

// indexHalvings is how often an index that memory is too short for is tried with half
// the room.
const indexHalvings = 3

// Steps of making an index, which tests observe.
const (
	StepIndexed   = "indexed" // and yet to be committed
	StepFilled    = "filled"  // committed, and yet to be brought in step and to be used
	StepCommitted = "committed"
)

// Lock lets no other call commit to the partition until Unlock. A caller that commits holds
// it from the beginning of the transaction until what was committed is known.
func (p *Partition) Lock() { p.writing.Lock() }

// Unlock ends Lock.
func (p *Partition) Unlock() { p.writing.Unlock() }

// IsIndexed reports whether the partition has an index. That is so for the caller that has
// locked it. What a query sees may be older: it can choose the shorter way to rows by it,
// and looks into the file before it asks the index.
func (p *Partition) IsIndexed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.indexed
}

func (p *Partition) setIndexed(is bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.indexed = is
}

// wantsIndex reports whether the partition is large enough for an index and has
// none.
func (p *Partition) wantsIndex(rows int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	var spans int64
	for _, b := range p.envs {
		spans += b.Spans
	}
	return !p.indexed && !p.closed && spans >= rows
}

// Index makes the index of a held partition that takes in no more spans, unless it
// is too small for one: whatever happens, there is one that filters can use or they
// look at the rows. One is made at a time, for the memory that it takes. Where memory
// is short it is made of smaller parts. Where it cannot be made it is tried again
// later, and where ending is closed meanwhile at the next start.
func (f *Files) Index(ending <-chan struct{}, p *Partition) {
	f.indexing.Lock()
	defer f.indexing.Unlock()
	if isClosed(ending) || f.IsSuspect() || !p.wantsIndex(f.options.IndexRows) {
		f.unindexed.forget(p)
		return
	}
	defer f.options.EnterIndexing(ending)()
	room := f.options.IndexBytes
	err := f.index(ending, p, room)
	for range indexHalvings {
		if !instance.OutOfMemory(err) {
			break
		}
		room /= 2
		err = f.index(ending, p, room)
	}
	if err == nil || errors.Is(err, errEnding) {
		f.unindexed.forget(p)
		return
	}
	f.unindexed.failed(p, time.Now())
	f.options.Report("the index of a closed partition could not be made; it will be tried again", err)
}

// errEnding says that the engine is to be closed.
var errEnding = errors.New("the engine is ending")

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// index makes the index in two transactions. The first adds what takes time, while
// others write to the partition; what they write to is noted. The second brings it
// in step with that and says that it is there, while there is no writer.
func (f *Files) index(ending <-chan struct{}, p *Partition, room int64) error {
	ctx := context.Background()
	return f.with(ctx, func(q *Querier) error {
		if err := q.In(ctx, p); err != nil {
			return err
		}
		if err := p.Unsummarize(); err != nil {
			return err
		}
		defer p.endNotes()
		if err := f.fillIndex(ctx, ending, q, p, room); err != nil {
			return err
		}
		f.instance.Reached(StepFilled)
		return f.endIndex(ctx, ending, q, p)
	})
}

// fillIndex adds what the index has of the partition as it is at one moment, from
// which on writes are noted.
func (f *Files) fillIndex(ctx context.Context, ending <-chan struct{}, q *Querier, p *Partition, room int64) error {
	if err := q.beginIndex(ctx, p); err != nil {
		return err
	}
	statements, err := index.Statements(ctx, q.Conn, room)
	if err != nil {
		return err
	}
	for _, s := range statements {
		if isClosed(ending) {
			return errEnding // the connection is closed, and its transaction with it
		}
		if _, err := q.Conn.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	f.instance.Reached(StepIndexed)
	_, err = q.Conn.ExecContext(ctx, "COMMIT")
	return err
}

// beginIndex begins a transaction that sees all that was written so far.
func (q *Querier) beginIndex(ctx context.Context, p *Partition) error {
	p.Lock()
	defer p.Unlock()
	p.beginNotes()
	if _, err := q.Conn.ExecContext(ctx, "BEGIN TRANSACTION"); err != nil {
		return err
	}
	var made bool // what the transaction sees of the file is fixed when it first reads it
	return q.Conn.QueryRowContext(ctx, "SELECT count(*) > 0 FROM indexed").Scan(&made)
}

// endIndex brings the index in step with what was written meanwhile, and says that it
// is there. Much of that is done before writers wait for the rest.
func (f *Files) endIndex(ctx context.Context, ending <-chan struct{}, q *Querier, p *Partition) error {
	for {
		p.Lock()
		n := p.notes
		p.beginNotes()
		if len(n.judged) <= fewJudged {
			defer p.Unlock()
			statements := append(n.statements(p), index.Ready()...)
			if err := q.commit(ctx, statements); err != nil {
				return err
			}
			p.setIndexed(true)
			f.instance.Reached(StepCommitted)
			return nil
		}
		p.Unlock()
		if isClosed(ending) {
			return errEnding
		}
		if err := q.commit(ctx, n.statements(p)); err != nil {
			return err
		}
	}
}

// commit executes statements in one transaction.
func (q *Querier) commit(ctx context.Context, statements []string) error {
	for _, s := range slices.Concat([]string{"BEGIN TRANSACTION"}, statements, []string{"COMMIT"}) {
		if _, err := q.Conn.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	return nil
}
