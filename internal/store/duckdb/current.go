// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/label"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
)

// take returns the partition that takes in spans of a class now: the one that
// did so far, unless its period is over or it is full.
func (e *engine) take(ctx context.Context, class time.Duration) (*partitions.Partition, error) {
	now := e.cfg.Now()
	old := e.current[class]
	if old != nil && e.takesIn(old) {
		// What is not checkpointed lies in memory: two such logs at once are too much.
		if e.sealing.Load() > 0 && old.LogSize() > e.cfg.CheckpointBytes/2 {
			e.work.Wait()
		}
		return old, nil
	}
	e.serial++
	p, err := e.files.Make(ctx, label.Label{Class: class, Opened: now.Truncate(label.PeriodOf(class)), Serial: e.serial})
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	e.partitions = append(e.partitions, p)
	e.mu.Unlock()
	e.current[class] = p
	e.keys.Begin(p)
	e.window.Begin(uint32(p.Serial))
	if old != nil {
		e.keys.Close(old)
		e.seal(context.WithoutCancel(ctx), old)
	}
	return p, nil
}

// takesIn reports whether a partition's period is not over and it is not full.
func (e *engine) takesIn(p *partitions.Partition) bool {
	return e.cfg.Now().Before(p.Until()) && p.NextSeq() < e.cfg.PartitionRows
}

// seal has the log of a partition worked into its file, its index made and the file
// closed, now that no more spans will come, which frees the memory that writing took.
func (e *engine) seal(ctx context.Context, p *partitions.Partition) {
	p.Dictionaries.Forget()
	e.sealing.Add(1)
	e.work.Go(func() {
		defer e.sealing.Add(-1)
		if !p.Hold() {
			return
		}
		if !e.files.Seal(ctx, e.ending, p) {
			p.Release()
			return
		}
		e.later.Go(func() {
			defer p.Release()
			e.files.Index(e.ending, p)
			e.files.ShutSealed(ctx, e.ending, p)
		})
	})
}

// indexLater has the indexes made that closed partitions lack, one after the other.
func (e *engine) indexLater(list ...*partitions.Partition) {
	e.later.Go(func() {
		for _, p := range list {
			if p.Hold() {
				e.files.Index(e.ending, p)
				p.Release()
			}
		}
	})
}

// closed returns the partitions that take in no spans, before any is made.
func (e *engine) closed() (list []*partitions.Partition) {
	for _, p := range e.partitions {
		if e.current[p.Class] != p {
			list = append(list, p)
		}
	}
	return list
}
