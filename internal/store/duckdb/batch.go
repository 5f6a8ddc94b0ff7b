// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"time"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// batch is what is written into one partition at once.
type batch struct {
	class    time.Duration
	arrivals []arrival
	messages []*store.Messages
	settled  []*settled
}

// arrival is a span that is not stored yet, or not like this.
type arrival struct {
	record  *store.Record
	key     key
	content uint64
	old     place // of the row it replaces
	stored  bool  // there is such a row
}

// batches sorts what a group writes by class.
func batches(group []*request, arrivals []arrival) []*batch {
	var list []*batch
	for _, a := range arrivals {
		b := batchOf(&list, a.record.Environment)
		b.arrivals = append(b.arrivals, a)
	}
	for _, r := range group {
		for i := range r.messages {
			m := &r.messages[i]
			b := batchOf(&list, m.Environment)
			b.messages = append(b.messages, m)
		}
	}
	return list
}

// batchOf gives the batch for env's class of retention.
func batchOf(list *[]*batch, env tenant.Environment) *batch {
	class := classOf(env.Retention)
	for _, b := range *list {
		if b.class == class {
			return b
		}
	}
	b := &batch{class: class}
	*list = append(*list, b)
	return b
}
