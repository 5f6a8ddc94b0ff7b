// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/instance"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// engine is a running DuckDB with the partitions of the store.
type engine struct {
	cfg      Config
	instance *instance.Instance
	tables   tables.Tables
	files    *openFiles
	ending   chan struct{} // closed when it is to be closed
	tidied   sync.WaitGroup

	// Of the writer alone.
	current map[time.Duration]*partition // by class: where spans go
	window  *window
	serial  int64
	grown   map[*partition]bool // whose logs are to be worked into their files

	mu         sync.RWMutex
	partitions []*partition // by serial

	work    sync.WaitGroup // checkpoints of closed partitions
	sealing atomic.Int32   // how many are under way

	// suspect is set when something went wrong: what is on disk is not known, and
	// the engine may refuse all work until it is opened again.
	suspect atomic.Bool
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
		current:  map[time.Duration]*partition{},
		window:   newWindow(cfg.WindowKeys),
		grown:    map[*partition]bool{},
		files:    newOpenFiles(cfg.AttachedFiles),
		ending:   make(chan struct{}),
	}
	e.tables = tables.New()
	if err := e.load(ctx); err != nil {
		return nil, errors.Join(err, e.close())
	}
	e.tidied.Go(e.tidy)
	return e, nil
}

// load finds out what is in the directory, finishes what a crash left undone and
// fills the window of recent keys. Files of which a summary says enough stay closed.
func (e *engine) load(ctx context.Context) error {
	if err := removeCopies(filepath.Join(e.cfg.Dir, instance.PartitionDir)); err != nil {
		return err
	}
	if err := e.list(); err != nil {
		return err
	}
	for _, p := range e.partitions {
		e.serial = p.serial
		e.current[p.class] = p
		p.recallSummary(len(e.cfg.formats))
	}
	if err := e.inspect(ctx); err != nil {
		return err
	}
	replaced := map[*partition]map[uint32][]place{}
	for _, p := range e.partitions {
		if err := e.learnAll(ctx, p, replaced); err != nil {
			return err
		}
	}
	if err := e.heal(ctx, replaced); err != nil {
		return err
	}
	return e.fillWindow(ctx)
}

// learnAll attaches a partition that takes in spans, and learns what is in one of
// which no summary says it, and which rows it replaces.
func (e *engine) learnAll(ctx context.Context, p *partition, replaced map[*partition]map[uint32][]place) error {
	if e.current[p.class] == p {
		if err := e.attach(ctx, p); err != nil {
			return err
		}
	} else if p.summarized {
		return nil
	}
	return e.alone(ctx, func(q querier) error {
		if err := e.learn(ctx, q, p); err != nil {
			return err
		}
		rows, err := q.replaced(ctx)
		if len(rows) > 0 {
			p.unhealed = true
			replaced[p] = rows
		}
		return err
	})
}

// list lists the partitions in the directory by serial, and removes files that
// were never more than begun.
func (e *engine) list() error {
	files, err := os.ReadDir(filepath.Join(e.cfg.Dir, instance.PartitionDir))
	if err != nil {
		return err
	}
	for _, f := range files {
		name, isFile := strings.CutSuffix(f.Name(), labelFile)
		l, ok := parseLabel(name)
		if !isFile || !ok {
			continue
		}
		p := newPartition(e.cfg.Dir, l)
		if unborn(p.path) {
			if err := os.Remove(p.path); err != nil {
				return err
			}
			continue
		}
		e.partitions = append(e.partitions, p)
	}
	slices.SortFunc(e.partitions, func(a, b *partition) int { return int(a.serial - b.serial) })
	return nil
}

// unborn reports whether a file was cut off while it was being made: it is
// shorter than the headers, so nothing was ever committed to it.
func unborn(path string) bool {
	const headers = 3 * 4096
	st, err := os.Stat(path)
	if err != nil || st.Size() >= headers {
		return false
	}
	_, err = os.Stat(path + walSuffix)
	return errors.Is(err, os.ErrNotExist)
}

func (e *engine) close() error {
	close(e.ending)
	e.tidied.Wait()
	e.work.Wait()
	var err error
	if !e.suspect.Load() {
		err = e.shutIdle(time.Now().Add(time.Hour)) // all of them, which leaves their summaries
	}
	e.tables.Close()
	return errors.Join(err, e.instance.Close())
}

// use returns the partitions that have something of env, oldest first, each to be
// released.
func (e *engine) use(env tenant.EnvironmentID) []held {
	e.mu.RLock()
	defer e.mu.RUnlock()
	var list []held
	for _, p := range e.partitions {
		if b, ok := p.use(env); ok {
			list = append(list, held{partition: p, bounds: b})
		}
	}
	return list
}

// holdAll returns all partitions, oldest first, each to be released.
func (e *engine) holdAll() []*partition {
	e.mu.RLock()
	defer e.mu.RUnlock()
	var list []*partition
	for _, p := range e.partitions {
		if p.hold() {
			list = append(list, p)
		}
	}
	return list
}

// held is a partition in use, and what was known of the environment in it.
type held struct {
	*partition
	bounds
}

func releaseAll(list []held) {
	for _, h := range list {
		h.release()
	}
}

// after returns t+d, or the end or the beginning of time if that is past it.
func after(t int64, d time.Duration) int64 {
	sum := t + int64(d)
	switch {
	case d >= 0 && sum < t:
		return math.MaxInt64
	case d < 0 && sum > t:
		return math.MinInt64
	}
	return sum
}
