// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/aside"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/journal"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/turns"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// A commit costs some milliseconds of CPU whatever is in it. So small groups of new spans
// and of messages are written into the journal, which makes them durable, and wait in
// memory. All that waits is committed at once: before anything else is committed, before
// anybody looks, and after some time or at some size in any case. What is in the journal
// when the store is opened is committed first. That is harmless where it had been committed
// already, since spans that are stored are recognised.

// Bounds of what waits: its rows, its bytes, and for how long the first of it does.
const (
	waitingRows  = 2048
	waitingBytes = 4 << 20
	waitingTime  = time.Second
)

// bytesBesideTexts is about what a span takes of a file beside its texts.
const bytesBesideTexts = 200

// waiting is what is in the journal and not yet committed.
type waiting struct {
	committed chan struct{} // closed when all of it is

	// For the caller that has the write turn.
	requests    []*turns.Request
	content     map[store.Owner]uint64 // of its spans
	rows, bytes int

	mu   sync.Mutex
	envs map[tenant.EnvironmentID]waitingSpans
}

// waitingSpans are what waits of one environment.
type waitingSpans struct {
	partitions.Bounds
	bytes int64 // that they will take of a file, about
}

func newWaiting() *waiting {
	return &waiting{committed: make(chan struct{}), content: map[store.Owner]uint64{}, envs: map[tenant.EnvironmentID]waitingSpans{}}
}

// add takes in a request with the spans of arrivals.
func (w *waiting) add(r *turns.Request, arrivals []arrival) {
	w.requests = append(w.requests, r)
	w.rows += r.Rows()
	w.bytes += r.Bytes
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range arrivals {
		a := &arrivals[i]
		w.content[a.record.Owner()] = a.content
		x := w.envs[a.record.Environment.ID]
		x.Widen(a.record.Span.Start, a.record.Span.Start)
		x.Spans++
		x.bytes += int64(bytesBesideTexts + a.record.Span.TextBytes())
		w.envs[a.record.Environment.ID] = x
	}
}

// of returns what waits of an environment.
func (w *waiting) of(env tenant.EnvironmentID) waitingSpans {
	if w == nil {
		return waitingSpans{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.envs[env]
}

// room reports whether a request may be added.
func (w *waiting) room(r *turns.Request, bytes int) bool {
	return w == nil || w.rows+r.Rows() <= waitingRows && w.bytes+r.Bytes <= bytes
}

// postpone has a group wait in the journal, fills in the errors of its requests, and reports
// whether it did: if the group is small and all that it wants is new.
func (db *DB) postpone(ctx context.Context, group []*turns.Request) bool {
	if db.cfg.waitingTime < 0 || !turns.IsSmall(group) {
		return false
	}
	arrivals, ok := db.unknown(ctx, group)
	if !ok {
		return false
	}
	var b store.Batch
	for i := range arrivals {
		b.Records = append(b.Records, *arrivals[i].record)
	}
	for _, r := range group {
		b.Messages = append(b.Messages, r.Messages...)
	}
	err := db.enjournal(ctx, turns.NewRequest(b), arrivals)
	for _, r := range group {
		r.Err, r.Journalled = err, true
	}
	return true
}

// unknown returns the spans of a group that are neither stored nor wait. It is not ok if one
// of them is there with another content, or if the group says anything of stored spans.
func (db *DB) unknown(ctx context.Context, group []*turns.Request) (fresh []arrival, ok bool) {
	for _, r := range group {
		if len(r.Evaluations) > 0 {
			return nil, false
		}
	}
	e, err := db.running(ctx)
	if err != nil {
		return nil, false
	}
	defer db.mu.RUnlock()
	arrivals, err := e.arrivals(ctx, group)
	if err != nil {
		return nil, false
	}
	w := db.waiting.Load()
	for _, a := range arrivals {
		if a.stored {
			return nil, false
		}
		if w != nil {
			if content, waits := w.content[a.record.Owner()]; waits {
				if content != a.content {
					return nil, false
				}
				continue
			}
		}
		fresh = append(fresh, a)
	}
	return fresh, true
}

// enjournal writes a request with the spans of arrivals into the journal.
func (db *DB) enjournal(ctx context.Context, r *turns.Request, arrivals []arrival) error {
	if r.Rows() == 0 {
		return nil
	}
	w := db.waiting.Load()
	if !w.room(r, min(waitingBytes, db.queue.Bytes)) {
		if err := db.flushNow(ctx); err != nil {
			return err
		}
		w = nil
	}
	if err := db.checkFreeSpace(); err != nil {
		return err
	}
	db.cfg.faults.Reached(stepJournalling)
	if err := db.journal.Append(&r.Batch); err != nil {
		return db.unwritten(err)
	}
	db.cfg.faults.Reached(stepJournalled)
	if w == nil {
		w = newWaiting()
	}
	w.add(r, arrivals)
	if db.waiting.Swap(w) == nil {
		db.flushLater()
	}
	return nil
}

// flushNow commits all that waits, for the caller that has the write turn. After an error what is
// left of it goes on waiting.
func (db *DB) flushNow(ctx context.Context) error {
	w := db.waiting.Load()
	if w == nil {
		return db.emptyJournal() // where that failed before
	}
	if err := db.commitWaiting(ctx, w); err != nil {
		return err
	}
	db.cfg.faults.Reached(stepCommitted)
	db.waiting.Store(nil)
	defer close(w.committed)
	err := db.emptyJournal()
	db.cfg.faults.Reached(stepEmptied)
	return err
}

func (db *DB) emptyJournal() error {
	if err := db.journal.Empty(); err != nil {
		return db.unwritten(err)
	}
	return nil
}

// unwritten returns the error of who could not write to the journal: nothing is stored, and
// the same may be possible later, whatever it was.
func (db *DB) unwritten(err error) error {
	const doing = "write spans"
	err = instance.Classify(db.cfg.Dir, doing, err)
	if fault.KindOf(err) == fault.Unavailable {
		return err
	}
	return fault.Wrap(fault.Unavailable, err, "%s: the journal of the span store cannot be written", doing)
}

// commitWaiting commits what waits. What the engine refuses for another reason than want of
// memory or disk, while it takes the rest, is set aside: all who look would wait for it.
func (db *DB) commitWaiting(ctx context.Context, w *waiting) error {
	all := w.requests
	db.commitNow(ctx, all)
	w.requests = refused(all)
	if len(w.requests) == 0 || fault.KindOf(w.requests[0].Err) == fault.Unavailable {
		return errorOf(w.requests)
	}
	for _, r := range w.requests {
		db.commitNow(ctx, []*turns.Request{r})
	}
	w.requests = refused(all)
	unavailable := func(r *turns.Request) bool { return fault.KindOf(r.Err) == fault.Unavailable }
	if len(w.requests) == 0 || len(w.requests) == len(all) || slices.ContainsFunc(w.requests, unavailable) {
		return errorOf(w.requests)
	}
	if err := db.setRefusedAside(w.requests); err != nil {
		return errors.Join(err, errorOf(w.requests))
	}
	w.requests = nil
	return nil
}

// refused returns the requests that have an error.
func refused(list []*turns.Request) (left []*turns.Request) {
	for _, r := range list {
		if r.Err != nil {
			left = append(left, r)
		}
	}
	return left
}

// errorOf returns the error of the first request, nil where there is none.
func errorOf(list []*turns.Request) error {
	if len(list) == 0 {
		return nil
	}
	return list[0].Err
}

// setRefusedAside writes requests into a journal of their own among what is damaged.
func (db *DB) setRefusedAside(list []*turns.Request) error {
	j := journal.At(filepath.Join(db.cfg.Dir, journal.Name+".refused"))
	for _, r := range list {
		if err := j.Append(&r.Batch); err != nil {
			return errors.Join(err, j.Close())
		}
	}
	if err := j.Close(); err != nil {
		return err
	}
	to, err := aside.Move(db.cfg.Dir, j.Path())
	if err == nil {
		db.cfg.Report("what the engine refuses of the journal was set aside in "+to+": it is not found and not counted, all else is", errorOf(list))
	}
	return err
}

// Steps that tests are told of.
const (
	stepJournalling = "a group is about to be journalled"
	stepJournalled  = "a group is journalled"
	stepCommitted   = "what waited is committed"
	stepEmptied     = "the journal is empty"
)

// flush has all committed that waits, for who is about to look and has no turn. It does not
// wait for a turn where another call commits it.
func (db *DB) flush(ctx context.Context) error {
	w := db.waiting.Load()
	if w == nil {
		return nil
	}
	done := make(chan error, 1)
	db.mu.RLock()
	if db.closed {
		db.mu.RUnlock()
		return nil // who looks is told
	}
	// The caller's thread may be one of low priority, for which all who write would wait.
	db.upkeep.Go(func() {
		mine, err := db.queue.EnterUnless(ctx, w.committed)
		if mine {
			working := context.WithoutCancel(ctx)
			err = db.flushNow(working)
			db.endTurn(working)
		}
		done <- err
	})
	db.mu.RUnlock()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// enter waits for the turn to write, and has all committed that waits.
func (db *DB) enter(ctx context.Context) error {
	if err := db.queue.Enter(ctx); err != nil {
		return err
	}
	err := db.flushNow(context.WithoutCancel(ctx))
	if err != nil {
		db.queue.Leave()
	}
	return err
}

// flushLater has all committed that waits some time after the first of it came, and again
// where that fails.
func (db *DB) flushLater() {
	select {
	case db.due <- struct{}{}:
	default:
	}
}

// flushDue does what flushLater is asked for, until the store is closed.
func (db *DB) flushDue() {
	failed := false
	for {
		select {
		case <-db.due:
		case <-db.closing:
			return
		}
		timer := time.NewTimer(db.cfg.waitingTime)
		select {
		case <-timer.C:
		case <-db.closing:
			timer.Stop()
			return
		}
		err := db.flush(context.Background())
		if err != nil {
			db.flushLater()
			if !failed {
				db.cfg.Report("what is in the journal cannot be committed yet; it is tried again", err)
			}
		}
		failed = err != nil
	}
}

// restore commits what the journal had when the store was opened.
func (db *DB) restore(ctx context.Context, found *journal.Found) error {
	if found.Torn {
		db.cfg.Report("the last entry of the journal is not complete and was left out: it was not acknowledged", nil)
	}
	if len(found.Batches) > 0 {
		w := newWaiting()
		for _, b := range found.Batches {
			r := turns.NewRequest(b)
			arrivals := make([]arrival, len(r.Records))
			var buffer []byte
			for i := range r.Records {
				arrivals[i].record = &r.Records[i]
				arrivals[i].content, buffer = store.Digest(buffer, &r.Records[i].Span)
			}
			w.add(r, arrivals)
		}
		db.waiting.Store(w)
	}
	if found.Damage != nil {
		return db.setJournalAside(ctx, found.Damage)
	}
	if err := db.flushNow(ctx); err != nil {
		db.cfg.Report("what is in the journal cannot be committed yet; it is tried again", err)
		db.flushLater()
	}
	return nil
}

// setJournalAside commits what can be read of a damaged journal, and sets the file aside.
func (db *DB) setJournalAside(ctx context.Context, damage error) error {
	if w := db.waiting.Load(); w != nil {
		if err := db.commitWaiting(ctx, w); err != nil {
			return err
		}
		db.waiting.Store(nil)
		close(w.committed)
	}
	path := db.journal.Path()
	to, err := aside.Move(db.cfg.Dir, path)
	if err != nil {
		return fault.Wrap(fault.Unavailable, errors.Join(err, damage), "%s is damaged and cannot be moved", path)
	}
	db.cfg.Report("the damaged journal was set aside in "+to+": what could not be read of it is not found and not counted, all else is", damage)
	return db.journal.Forget()
}
