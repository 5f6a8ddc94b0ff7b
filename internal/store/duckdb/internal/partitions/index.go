// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"context"
	"errors"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/index"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
)

// indexTries is how often an index is made while evaluations are written to its
// partition meanwhile, before it is left for later.
const indexTries = 3

// indexHalvings is how often an index that memory is too short for is tried with half
// the room.
const indexHalvings = 3

// Steps of making an index, as tests are told of them.
const (
	StepIndexed   = "indexed" // and yet to be committed
	StepCommitted = "committed"
)

// errWritten says that a partition was written to while its index was made.
var errWritten = errors.New("the partition is always being written to")

// Lock lets nobody else commit to the partition until Unlock. Whoever commits holds
// it from the beginning of the transaction until what was committed is known.
func (p *Partition) Lock() { p.writing.Lock() }

// Unlock ends Lock.
func (p *Partition) Unlock() { p.writing.Unlock() }

// IsIndexed reports whether the partition has an index. That is so for whoever has
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
// is too small for one, in one transaction: whatever happens, there is the whole of
// it or none. One is made at a time, for the memory that it takes. Where it cannot be
// made, or ending is closed meanwhile, filters look at the rows, and the next start
// tries again. Where memory is short it is made of smaller parts.
func (f *Files) Index(ending <-chan struct{}, p *Partition) {
	f.indexing.Lock()
	defer f.indexing.Unlock()
	if isClosed(ending) || f.IsSuspect() || !p.wantsIndex(f.options.IndexRows) {
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
	if err != nil && !errors.Is(err, errEnding) {
		f.options.Report("the index of a closed partition could not be made; it will be at the next start", err)
	}
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

func (f *Files) index(ending <-chan struct{}, p *Partition, room int64) error {
	ctx := context.Background()
	return f.with(ctx, func(q *Querier) error {
		if err := q.In(ctx, p); err != nil {
			return err
		}
		if err := p.Unsummarize(); err != nil {
			return err
		}
		for range indexTries {
			done, err := f.indexOnce(ctx, ending, q, p, room)
			if done || err != nil {
				return err
			}
		}
		return errWritten
	})
}

// indexOnce makes the index unless somebody writes to the partition meanwhile.
func (f *Files) indexOnce(ctx context.Context, ending <-chan struct{}, q *Querier, p *Partition, room int64) (done bool, err error) {
	changes := p.Changes()
	if _, err := q.Conn.ExecContext(ctx, "BEGIN TRANSACTION"); err != nil {
		return false, err
	}
	statements, err := index.Statements(ctx, q.Conn, room)
	if err != nil {
		return false, err
	}
	for _, s := range statements {
		if isClosed(ending) {
			return false, errEnding // the connection is closed, and its transaction with it
		}
		if _, err := q.Conn.ExecContext(ctx, s); err != nil {
			return false, err
		}
	}
	f.instance.Reached(StepIndexed)
	p.Lock()
	defer p.Unlock()
	end := "COMMIT"
	if p.Changes() != changes {
		end = "ROLLBACK"
	}
	if _, err := q.Conn.ExecContext(ctx, end); err != nil {
		return false, err
	}
	if end != "COMMIT" {
		return false, nil
	}
	p.setIndexed(true)
	f.instance.Reached(StepCommitted)
	return true, nil
}
