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
	n = db.waiting.Load().of(env).Spans
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
// of its spans. What waits in the journal is taken for about as large as its texts.
func (db *DB) Extent(env tenant.EnvironmentID, from, to int64) store.Extent {
	var sum store.Extent
	w := db.waiting.Load().of(env)
	widen(&sum, w.Bounds, from, to, w.bytes)
	for _, p := range db.partitions() { // their files are looked at without the lock
		b, spans, found := p.ShareOf(env)
		if !found {
			continue
		}
		var bytes int64
		if size, err := p.Size(); err == nil && spans > 0 {
			bytes = int64(float64(size) * float64(b.Spans) / float64(max(spans, b.Spans)))
		}
		widen(&sum, b, from, to, bytes)
	}
	return sum
}

// widen adds to an extent what of some spans, which have so many bytes, started from one time
// to another.
func widen(sum *store.Extent, b partitions.Bounds, from, to, bytes int64) {
	if b.Spans == 0 {
		return
	}
	part := within(b, from, to)
	if part == 0 {
		return
	}
	first, last := max(from, b.Min), min(to, b.Max)
	if sum.First == 0 && sum.Last == 0 {
		sum.First, sum.Last = first, last
	}
	sum.First, sum.Last = min(sum.First, first), max(sum.Last, last)
	sum.Spans += int64(part * float64(b.Spans))
	sum.Bytes += int64(part * float64(bytes))
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
