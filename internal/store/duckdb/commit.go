// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// batch is what is written into one partition at once.
type batch struct {
	class    time.Duration
	arrivals []arrival
	messages []*store.Messages
}

// arrival is a span that is not stored yet, or not like this.
type arrival struct {
	record  *store.Record
	key     key
	content uint64
	old     place // of the row it replaces
	stored  bool  // there is such a row
}

// write commits a group, partition by partition, and remembers its spans.
func (e *engine) write(ctx context.Context, group []*request) error {
	arrivals, err := e.arrivals(ctx, group)
	if err != nil {
		return err
	}
	var batches []*batch
	for _, a := range arrivals {
		b := batchOf(&batches, a.record.Environment)
		b.arrivals = append(b.arrivals, a)
	}
	for _, r := range group {
		for i := range r.messages {
			m := &r.messages[i]
			b := batchOf(&batches, m.Environment)
			b.messages = append(b.messages, m)
		}
	}
	for _, b := range batches {
		if err := e.writeBatch(ctx, b); err != nil {
			return err
		}
	}
	return nil
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

func (e *engine) writeBatch(ctx context.Context, b *batch) error {
	p, err := e.take(ctx, b.class)
	if err != nil {
		return err
	}
	w := &commit{engine: e, partition: p, learnt: map[tenant.EnvironmentID]bounds{}}
	if err := w.do(b); err != nil {
		e.tables.abandon()
		p.dictionaries.forget()
		return errors.Join(err, e.run("ROLLBACK"))
	}
	w.remember(b)
	if err := p.protect(); err != nil {
		return err
	}
	return e.removeReplaced(ctx, p, w.elsewhere)
}

// commit is one transaction on one partition.
type commit struct {
	*engine
	*partition
	// learnt is what the partition will know of environments afterwards.
	learnt map[tenant.EnvironmentID]bounds
	// here and elsewhere are the rows that are replaced, in this partition and
	// by serial in others.
	here      []place
	elsewhere map[uint32][]place
}

func (w *commit) do(b *batch) error {
	if err := w.run("BEGIN TRANSACTION"); err != nil {
		return err
	}
	w.tables.open(w.writer, w.partition)
	enc := encoder{tables: w.tables, dictionaries: w.dictionaries}
	for i := range b.arrivals {
		a := &b.arrivals[i]
		x := w.environment(a.record.Environment)
		x.widen(a.record.Span.Start, a.record.Span.Start)
		x.spans++
		if a.stored {
			w.replace(&x, a)
		}
		w.learnt[a.record.Environment.ID] = x
		if err := enc.span(w.next+int64(i), x.code, a.content, a.record); err != nil {
			return err
		}
	}
	for _, m := range b.messages {
		x := w.environment(m.Environment)
		x.widen(m.Time, m.Time)
		x.messages++
		w.learnt[m.Environment.ID] = x
		enc.logged(x.code, m)
	}
	if err := w.tables.finish(); err != nil {
		return err
	}
	if err := w.run(deleteRows(w.partition, w.here)); err != nil {
		return err
	}
	return w.run("COMMIT")
}

// environment gives what will be known of an environment; one that is new to
// the partition, or whose retention grew, is written down.
func (w *commit) environment(env tenant.Environment) bounds {
	x, found := w.learnt[env.ID]
	if !found {
		x, found = w.bound(env.ID)
	}
	if !found {
		x.code = w.codes
		w.codes++
	}
	if !found || x.retention < env.Retention {
		x.retention = env.Retention
		t := w.tables.environments
		t.small(x.code)
		t.text(string(env.ID))
		t.int(int64(env.Retention))
		t.end()
	}
	return x
}

// replace notes the row that a replaces.
func (w *commit) replace(x *bounds, a *arrival) {
	if int64(a.old.serial) == w.serial() {
		w.here = append(w.here, a.old)
		x.spans--
		return
	}
	if w.elsewhere == nil {
		w.elsewhere = map[uint32][]place{}
	}
	w.elsewhere[a.old.serial] = append(w.elsewhere[a.old.serial], a.old)
	t := w.tables.replaced
	t.int(int64(a.old.serial))
	t.int(int64(a.old.seq))
	t.end()
}

func (w *commit) serial() int64 { return w.partition.serial }

// remember makes what was committed known.
func (w *commit) remember(b *batch) {
	for i := range b.arrivals {
		a := &b.arrivals[i]
		w.window.put(a.key, a.record.Span.Start, place{
			serial:  uint32(w.serial()),
			seq:     uint32(w.next + int64(i)),
			content: a.content,
		})
	}
	w.next += int64(len(b.arrivals))
	w.partition.mu.Lock()
	defer w.partition.mu.Unlock()
	for id, x := range w.learnt {
		w.envs[id] = x
	}
}

// deleteRows makes a statement that deletes rows and what belongs to them.
func deleteRows(p *partition, rows []place) string {
	if len(rows) == 0 {
		return "SELECT 1"
	}
	list := make([]byte, 0, 8*len(rows))
	for i, r := range rows {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendUint(list, uint64(r.seq), 10)
	}
	where := " WHERE seq IN (" + string(list) + ");"
	return "DELETE FROM " + p.alias() + ".spans" + where + "DELETE FROM " + p.alias() + ".evaluations" + where
}
