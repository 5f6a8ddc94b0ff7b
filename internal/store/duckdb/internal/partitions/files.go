// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// Options say how the files of partitions are kept.
type Options struct {
	Dir     string // of the store
	Formats tables.Formats
	// Limit is how many files of partitions that take in no more spans are
	// attached at once, and Idle for how long one stays attached that is not in use.
	Limit int
	Idle  time.Duration
	// HeldBytes is how much memory files may hold together that no limit makes the engine
	// give up while they are attached.
	HeldBytes int64
	// ReattachBytes is how much memory a file may take before it is closed and
	// opened again: see Reattach.
	ReattachBytes int64
	// IndexRows is the number of spans from which on a partition that takes in no
	// more gets an index.
	IndexRows int64
	// IndexBytes is how much memory may be taken by what is sorted for an index.
	IndexBytes int64
	// EnterIndexing is called before an index is made, and what it returns
	// afterwards; it waits no longer than until ending is closed.
	EnterIndexing func(ending <-chan struct{}) (leave func())
	// Report receives events without a caller who could get an error.
	Report func(message string, err error)
}

// Files are those of the partitions of one running DuckDB: which are attached, and
// the connections that use them.
type Files struct {
	options  Options
	instance *instance.Instance
	attached *openFiles
	count    atomic.Int64 // of files that are attached, those that take in spans included
	// suspect is set when something went wrong: what is on disk is not known, and
	// the instance may refuse all work until it is opened again.
	suspect  atomic.Bool
	indexing sync.Mutex // held while an index is made
	recalled *recalled
	// remembered is what queries came to.
	remembered *remembered
	// unindexed are those whose index is to be tried again.
	unindexed unindexed

	mu      sync.Mutex
	damaged []*instance.Damage // what was found of files while they were used
	doubted []string           // paths of files of which one may be
}

// NewFiles returns the files of partitions of an instance, none attached.
func NewFiles(in *instance.Instance, o Options) *Files {
	return &Files{
		options: o, instance: in, attached: newOpenFiles(o.Limit), recalled: newRecalled(), remembered: newRemembered(),
		unindexed: unindexed{idle: o.Idle, list: map[*Partition]failure{}},
	}
}

// Attached returns how many files are attached, those that take in spans included.
func (f *Files) Attached() int { return int(f.count.Load()) }

// SetSuspect notes that what is on disk is not known: the instance is to be opened
// again.
func (f *Files) SetSuspect() { f.suspect.Store(true) }

// IsSuspect reports whether SetSuspect was called.
func (f *Files) IsSuspect() bool { return f.suspect.Load() }

// Pin keeps the file of p attached until p.Unpin is called, and attaches it
// first if need be, on a connection without a transaction. Who has one pinned
// and wants another one gives the first up before, unless he has the turn to
// write.
func (f *Files) Pin(ctx context.Context, q *Querier, p *Partition) error {
	p.pin()
	if err := f.open(context.WithoutCancel(ctx), q, p); err != nil {
		p.Unpin()
		return err
	}
	return nil
}

// open attaches the file of a pinned partition, unless it is.
func (f *Files) open(ctx context.Context, q *Querier, p *Partition) error {
	p.opening.Lock()
	defer p.opening.Unlock()
	if p.IsAttached() {
		f.attached.touch(p)
		return f.blame(p, p.isInPlace())
	}
	if err := f.blame(p, p.isAsClosed()); err != nil {
		return err
	}
	if err := f.room(ctx, q); err != nil {
		return err
	}
	if err := f.blame(p, q.attach(ctx, p)); err != nil {
		f.attached.leave()
		// It may have been done all the same.
		if q.detach(ctx, p) != nil {
			f.SetSuspect()
		}
		return err
	}
	f.setAttached(p, true)
	f.attached.attached(p)
	return nil
}

// room takes a place for one more file, and closes others until there is one.
func (f *Files) room(ctx context.Context, q *Querier) error {
	for {
		victim, open := f.attached.reserve()
		if victim == nil {
			return nil
		}
		err := f.shut(ctx, q, victim)
		open()
		f.attached.leave()
		if err != nil {
			return err
		}
	}
}

// giveWay closes files that are not in use, those used least lately first, while attached ones
// hold more memory than they may.
func (f *Files) giveWay(ctx context.Context, q *Querier) error {
	for {
		held, err := f.instance.Memory(ctx, instance.ForIndexes)
		if err != nil || held <= f.options.HeldBytes {
			return err
		}
		victim, open := f.attached.release()
		if victim == nil {
			return nil
		}
		err = f.shut(ctx, q, victim)
		open()
		f.attached.leave()
		if err != nil {
			return err
		}
	}
}

// shut closes the file of a partition that the caller has exclusively, and
// writes down what is known of it.
func (f *Files) shut(ctx context.Context, q *Querier, p *Partition) error {
	err := f.blame(p, f.shutFile(ctx, q, p))
	if err != nil {
		// Whether it is attached is not known.
		f.SetSuspect()
		return err
	}
	f.setAttached(p, false)
	p.appended.Store(0)
	if !f.IsSuspect() {
		p.summarize(len(f.options.Formats))
	}
	return nil
}

// shutFile works what is in the log of a partition into its file and closes it.
func (f *Files) shutFile(ctx context.Context, q *Querier, p *Partition) error {
	if p.LogSize() > 0 {
		if _, err := q.Conn.ExecContext(ctx, "CHECKPOINT "+p.Alias()); err != nil {
			return err
		}
	}
	return q.detach(ctx, p)
}

// giveBackEvery is how often the engine gives back memory that it does not use: what it takes to
// take it again is then not to be measured.
const giveBackEvery = 15 * time.Second

// Tidy closes the files that were not used for a while, makes the indexes that
// could not be made before, and gives back memory, until ending is closed.
func (f *Files) Tidy(ending <-chan struct{}) {
	period := f.options.Idle
	ticker := time.NewTicker(period / 4)
	defer ticker.Stop()
	given := time.Now()
	for {
		select {
		case <-ending:
			return
		case <-ticker.C:
		}
		if err := f.ShutIdle(time.Now().Add(-period)); err != nil {
			f.options.Report("an unused file could not be closed", err)
		}
		f.indexAgain(ending)
		if now := time.Now(); now.Sub(given) >= giveBackEvery {
			given = now
			if err := f.instance.GiveBack(context.Background()); err != nil {
				f.options.Report("the engine did not give back memory that it does not use", err)
			}
		}
	}
}

// ShutIdle closes the files of partitions that take in no more spans and that
// were not used since then.
func (f *Files) ShutIdle(since time.Time) error {
	for {
		p, open := f.attached.idle(since)
		if p == nil {
			return nil
		}
		ctx := context.Background()
		err := f.with(ctx, func(q *Querier) error { return f.shut(ctx, q, p) })
		open()
		f.attached.leave()
		if err != nil {
			return err
		}
	}
}

// Checkpoint works the log of a partition into its file, on the connection of
// the caller with the write turn, unless the file is closed: then it has no log.
func (f *Files) Checkpoint(p *Partition) error {
	p.pin()
	defer p.Unpin()
	if !p.IsAttached() {
		return nil
	}
	return f.blame(p, f.instance.Run("CHECKPOINT "+p.Alias()))
}

// Remove closes the file of a partition that is not in use, and removes it.
func (f *Files) Remove(ctx context.Context, p *Partition) error {
	if p.IsAttached() {
		if err := f.detach(ctx, p); err != nil {
			return err
		}
		f.setAttached(p, false)
		f.attached.drop(p)
	}
	return p.removeFiles()
}

// Adopt notes that the file of p, which took in spans so far, stays attached.
func (f *Files) Adopt(p *Partition) { f.attached.adopt(p) }
