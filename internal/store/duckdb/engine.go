// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/aside"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/recent"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// engine is a running DuckDB with the partitions of the store.
type engine struct {
	cfg      Config
	instance *instance.Instance
	tables   tables.Tables
	files    *partitions.Files
	ending   chan struct{} // closed when it is to be closed
	tidied   sync.WaitGroup

	// Of the writer alone.
	current map[time.Duration]*partitions.Partition // by class: where spans go
	window  *recent.Window
	keys    *partitions.Keys
	serial  int64
	grown   map[*partitions.Partition]bool // whose logs are to be worked into their files

	mu         sync.RWMutex
	partitions []*partitions.Partition // by serial

	work    sync.WaitGroup // checkpoints of closed partitions
	sealing atomic.Int32   // how many are under way
	later   sync.WaitGroup // what follows them: indexes
}

func openEngine(ctx context.Context, cfg Config) (*engine, error) {
	in, err := instance.Open(ctx, instance.Options{
		Dir: cfg.Dir, MemoryLimit: cfg.MemoryLimit, Threads: cfg.Threads, Connections: connections, Faults: cfg.faults,
	})
	if err != nil {
		return nil, err
	}
	e := &engine{
		instance: in,
		cfg:      cfg,
		current:  map[time.Duration]*partitions.Partition{},
		window:   recent.New(cfg.WindowKeys),
		grown:    map[*partitions.Partition]bool{},
		files: partitions.NewFiles(in, partitions.Options{
			Dir: cfg.Dir, Formats: cfg.formats, Limit: cfg.AttachedFiles, Idle: cfg.fileIdle, HeldBytes: cfg.MemoryLimit / heldShare,
			ReattachBytes: cfg.reattachBytes, IndexRows: cfg.indexRows,
			IndexBytes: cfg.indexBytes(), EnterIndexing: cfg.enterIndexing, Report: cfg.Report,
		}),
		ending: make(chan struct{}),
	}
	e.keys = partitions.NewKeys(e.files)
	e.tables = tables.New()
	if err := e.load(ctx); err != nil {
		return nil, errors.Join(err, e.close())
	}
	// What is known now took more to read than it takes, and there was no query yet.
	if err := in.GiveBackAll(ctx); err != nil {
		return nil, errors.Join(err, e.close())
	}
	e.tidied.Go(func() { e.files.Tidy(e.ending) })
	e.indexLater(e.closed()...)
	return e, nil
}

// load finds out what is in the directory, finishes what a crash left undone and
// fills the window of recent keys. Files of which a summary says enough stay closed.
func (e *engine) load(ctx context.Context) error {
	all, err := partitions.List(e.cfg.Dir)
	if err != nil {
		return err
	}
	e.partitions = all
	if e.serial, err = aside.Finish(e.cfg.Dir); err != nil {
		return err
	}
	for _, p := range e.partitions {
		e.serial = max(e.serial, p.Serial)
		e.current[p.Class] = p
		p.RecallSummary(len(e.cfg.formats))
	}
	if err := e.inspect(ctx); err != nil {
		return err
	}
	if err := e.examine(ctx); err != nil {
		return err
	}
	replaced := map[*partitions.Partition]map[uint32][]recent.Place{}
	for _, p := range e.partitions {
		if err := e.learnAll(ctx, p, replaced); err != nil {
			return e.files.BlameOpening(p, err)
		}
	}
	if err := e.heal(ctx, replaced); err != nil {
		return err
	}
	for class, p := range e.current {
		// An index is of the spans that there are. One that is full or over gets its own.
		if p.IsIndexed() || !e.takesIn(p) {
			delete(e.current, class)
			e.files.Adopt(p)
		}
	}
	return e.fillWindow(ctx)
}

// learnAll attaches a partition that takes in spans, and learns what is in one of
// which no summary says it, and which rows it replaces.
func (e *engine) learnAll(ctx context.Context, p *partitions.Partition, replaced map[*partitions.Partition]map[uint32][]recent.Place) error {
	if e.current[p.Class] == p {
		if err := e.files.Attach(ctx, p); err != nil {
			return err
		}
	} else if p.IsSummarized() {
		return nil
	}
	return e.files.Alone(ctx, func(q *partitions.Querier) error {
		if err := e.files.Learn(ctx, q, p); err != nil {
			return err
		}
		rows, err := replacedRows(ctx, q)
		if len(rows) > 0 {
			p.SetUnhealed(true)
			replaced[p] = rows
		}
		return err
	})
}

func (e *engine) close() error {
	close(e.ending)
	e.tidied.Wait()
	e.work.Wait()
	e.later.Wait()
	var err error
	if e.files.IsSuspect() { // what is in memory must not be worked into the files
		e.instance.KeepFiles()
	}
	if !e.files.IsSuspect() {
		err = e.files.ShutIdle(time.Now().Add(time.Hour)) // all of them, which leaves their summaries
		e.keys.CloseAll(e.partitions)
	}
	e.tables.Close()
	return errors.Join(err, e.instance.Close())
}

// use returns the partitions that have something of env, oldest first, each to be
// released.
func (e *engine) use(env tenant.EnvironmentID) []partitions.Held {
	e.mu.RLock()
	defer e.mu.RUnlock()
	var list []partitions.Held
	for _, p := range e.partitions {
		if b, ok := p.Use(env); ok {
			list = append(list, partitions.Held{Partition: p, Bounds: b})
		}
	}
	return list
}

// isClosed reports whether a partition takes in no more spans, since a later one of its class
// does.
func (e *engine) isClosed(p *partitions.Partition) bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return slices.ContainsFunc(e.partitions, func(o *partitions.Partition) bool { return o.Class == p.Class && o.Serial > p.Serial })
}

// holdAll returns all partitions, oldest first, each to be released.
func (e *engine) holdAll() []*partitions.Partition {
	e.mu.RLock()
	defer e.mu.RUnlock()
	var list []*partitions.Partition
	for _, p := range e.partitions {
		if p.Hold() {
			list = append(list, p)
		}
	}
	return list
}

// inspect refuses files whose format this release does not know before any is
// changed. Its error is all the Damage that it found if there was nothing else.
func (e *engine) inspect(ctx context.Context) error {
	var damage []error
	err := e.files.Alone(ctx, func(q *partitions.Querier) error {
		for _, p := range e.partitions {
			if p.IsSummarized() {
				continue
			}
			err := e.files.Inspect(ctx, q, p, e.current[p.Class] == p)
			switch {
			case len(instance.Damages(err)) > 0:
				damage = append(damage, err)
			case err != nil && len(damage) > 0 && instance.Invalidated(err):
				return nil // by the damage
			case err != nil:
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return errors.Join(damage...)
}

// indexMemory is what making an index takes in memory besides what is sorted: rows that are
// not yet in the file, and the spans that verdicts are joined with. Measured: 27 to 38 MiB.
const indexMemory = 40 << 20

// indexBytes returns how much may be sorted at once for an index: a twelfth of the memory.
func (c Config) indexBytes() int64 {
	if c.indexRoom > 0 {
		return c.indexRoom
	}
	return c.MemoryLimit / 12
}

// enterIndexing takes places of those who read for the memory that making an index
// takes, for a few seconds each time that a partition is closed. Where they are not free
// soon it is made all the same, since more and more queries would want it.
func (c Config) enterIndexing(ending <-chan struct{}) (leave func()) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-ending:
			cancel()
		case <-ctx.Done():
		}
	}()
	return c.readers.EnterFor(ctx, c.indexBytes()+indexMemory, c.readers.Patience.Writer)
}
