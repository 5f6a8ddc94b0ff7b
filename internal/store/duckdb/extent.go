// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

var _ store.Measurer = (*DB)(nil)

// Spans implements store.Measurer.
func (db *DB) Spans(env tenant.EnvironmentID) (n int64) {
	n = db.waiting.Load().spansOf(env)
	for _, p := range db.partitions() {
		b, _, _ := p.ShareOf(env)
		n += b.Spans
	}
	return n
}

// partitions returns the partitions as they are now.
func (db *DB) partitions() []*partitions.Partition {
	db.mu.RLock()
	defer db.mu.RUnlock()
	if db.engine == nil {
		return nil
	}
	db.engine.mu.RLock()
	defer db.engine.mu.RUnlock()
	return db.engine.partitions // nothing that is in it changes
}

// Extent implements store.Measurer: of a partition that a period cuts, the part of
// its spans that would be in it if they started evenly, and of its file as much as
// of its spans.
func (db *DB) Extent(env tenant.EnvironmentID, from, to int64) store.Extent {
	var sum store.Extent
	for _, p := range db.partitions() { // their files are looked at without the lock
		b, spans, found := p.ShareOf(env)
		if !found || b.Spans == 0 {
			continue
		}
		part := within(b, from, to)
		if part == 0 {
			continue
		}
		first, last := max(from, b.Min), min(to, b.Max)
		if sum.First == 0 && sum.Last == 0 {
			sum.First, sum.Last = first, last
		}
		sum.First, sum.Last = min(sum.First, first), max(sum.Last, last)
		sum.Spans += int64(part * float64(b.Spans))
		if size, err := p.Size(); err == nil && spans > 0 {
			sum.Bytes += int64(part * float64(size) * float64(b.Spans) / float64(max(spans, b.Spans)))
		}
	}
	return sum
}

// within returns which part of the spans of b started from one time to another.
func within(b partitions.Bounds, from, to int64) float64 {
	first, last := max(from, b.Min), min(to, b.Max)
	if first > last {
		return 0
	}
	if b.Max == b.Min {
		return 1
	}
	return (float64(last) - float64(first)) / (float64(b.Max) - float64(b.Min))
}
