// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"time"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/label"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/recent"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/turns"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// batch is what is written into one partition at once.
type batch struct {
	class     time.Duration
	arrivals  []arrival
	messages  []*store.Messages
	completed []*completed
}

// rows returns how many rows the batch appends to the large tables.
func (b *batch) rows() int64 {
	n := len(b.arrivals) + len(b.messages)
	for i := range b.arrivals {
		n += len(b.arrivals[i].record.Evaluations)
	}
	for _, s := range b.completed {
		n += len(s.evaluations)
	}
	return int64(n)
}

// arrival is a span that is not stored yet, or not like this.
type arrival struct {
	request *turns.Request
	record  *store.Record
	key     recent.Key
	content uint64
	old     recent.Place // of the row it replaces
	stored  bool         // there is such a row
}

// batches sorts what a group writes by class.
func batches(group []*turns.Request, arrivals []arrival) []*batch {
	var list []*batch
	for _, a := range arrivals {
		b := batchOf(&list, a.record.Environment)
		b.arrivals = append(b.arrivals, a)
	}
	for _, r := range group {
		for i := range r.Messages {
			m := &r.Messages[i]
			b := batchOf(&list, m.Environment)
			b.messages = append(b.messages, m)
		}
	}
	return list
}

// batchOf returns the batch for env's class of retention.
func batchOf(list *[]*batch, env tenant.Environment) *batch {
	class := label.ClassOf(env.Retention)
	for _, b := range *list {
		if b.class == class {
			return b
		}
	}
	b := &batch{class: class}
	*list = append(*list, b)
	return b
}
