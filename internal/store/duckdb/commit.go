// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/turns"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// write commits a group, partition by partition, and remembers its spans.
func (e *engine) write(ctx context.Context, group []*turns.Request) error {
	arrivals, err := e.arrivals(ctx, group)
	if err != nil {
		return err
	}
	completed, err := e.completions(ctx, group, arrivals)
	if err != nil {
		return err
	}
	if err := e.writeAll(ctx, batches(group, arrivals), completed); err != nil {
		return err
	}
	for i := range arrivals {
		if a := &arrivals[i]; a.stored {
			a.request.Replaced = append(a.request.Replaced, store.Location{Environment: a.record.Environment.ID, Span: a.record.Span.Key()})
		}
	}
	return nil
}

// writeAll commits batches, and evaluations of stored spans by partition: those
// of a partition that takes in a batch together with it.
func (e *engine) writeAll(ctx context.Context, list []*batch, completed map[*partition][]*completed) error {
	for _, b := range list {
		p, err := e.take(ctx, b.class)
		if err != nil {
			return err
		}
		b.completed = completed[p]
		delete(completed, p)
		if err := e.writeBatch(ctx, p, b); err != nil {
			return err
		}
	}
	for p, c := range completed {
		if !p.hold() {
			continue // gone, with all its spans
		}
		err := e.writeBatch(ctx, p, &batch{completed: c})
		p.release()
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *engine) writeBatch(ctx context.Context, p *partition, b *batch) error {
	if err := e.pinToWrite(ctx, p); err != nil {
		return err
	}
	defer p.unpin()
	w := &commit{engine: e, partition: p, learnt: map[tenant.EnvironmentID]bounds{}}
	if err := w.prepare(ctx, b); err != nil {
		return err
	}
	if err := w.do(b); err != nil {
		e.tables.Abandon()
		p.dictionaries.Forget()
		return errors.Join(err, e.instance.RollBack())
	}
	p.changes.Add(1)
	w.remember(b)
	if err := p.protect(); err != nil {
		return err
	}
	if err := e.removeReplaced(ctx, p, w.elsewhere); err != nil {
		// The batch is durable. What it replaces goes when the engine is opened
		// again, as after a crash.
		e.suspect.Store(true)
		e.cfg.Report("replaced spans could not be deleted; they will be when the engine is opened again", err)
	}
	e.noteLog(p)
	return nil
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
	// completed are evaluations of stored spans, and removed the rows whose place
	// they take; of these, superseded are kept as predecessors.
	completed  []*completed
	removed    []evaluationRow
	superseded []evaluationRow
	owed       int64 // by how much the partition will owe more
	latest     int64 // time of an evaluation
}

// prepare reads what must be known before.
func (w *commit) prepare(ctx context.Context, b *batch) error {
	for i := range b.arrivals {
		if a := &b.arrivals[i]; a.stored && int64(a.old.serial) == w.serial() {
			w.here = append(w.here, a.old)
		}
	}
	owed, err := w.owedIn(ctx, w.partition, w.here)
	if err != nil {
		return err
	}
	w.owed -= owed
	return w.compare(ctx, b.completed)
}

func (w *commit) do(b *batch) error {
	if err := w.instance.Run("BEGIN TRANSACTION"); err != nil {
		return err
	}
	// Before anything is added that could be taken for it.
	if err := w.instance.Run(keepEvaluations(w.partition, w.superseded)); err != nil {
		return err
	}
	if err := w.instance.Run(deleteEvaluations(w.partition, w.removed)); err != nil {
		return err
	}
	w.tables.Open(w.instance.Writer(), w.alias())
	enc := tables.NewEncoder(w.tables, w.dictionaries)
	for i := range b.arrivals {
		a := &b.arrivals[i]
		x := w.environment(a.record.Environment)
		x.widen(a.record.Span.Start, a.record.Span.Start)
		x.spans++
		if a.stored {
			w.replace(&x, a)
		}
		w.learnt[a.record.Environment.ID] = x
		seq := w.next + int64(i)
		enc.Span(seq, x.code, a.content, a.record)
		for j := range a.record.Evaluations {
			w.note(&a.record.Evaluations[j])
		}
	}
	for _, m := range b.messages {
		x := w.environment(m.Environment)
		x.widen(m.Time, m.Time)
		x.messages++
		w.learnt[m.Environment.ID] = x
		enc.Messages(x.code, m)
	}
	for _, x := range w.completed {
		for _, v := range x.evaluations {
			enc.Evaluation(x.seq, v)
			w.note(v)
		}
	}
	if err := w.tables.Finish(); err != nil {
		return err
	}
	if err := w.instance.Run(deleteRows(w.partition, w.here)); err != nil {
		return err
	}
	return w.instance.Run("COMMIT")
}

// environment returns what will be known of an environment; one that is new to
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
		w.tables.Environment(x.code, env)
	}
	return x
}

// replace notes the row that a replaces.
func (w *commit) replace(x *bounds, a *arrival) {
	if int64(a.old.serial) == w.serial() {
		x.spans--
		return
	}
	if w.elsewhere == nil {
		w.elsewhere = map[uint32][]place{}
	}
	w.elsewhere[a.old.serial] = append(w.elsewhere[a.old.serial], a.old)
	w.tables.Replacement(a.old.serial, a.old.seq)
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
	w.appended.Add(b.rows())
	w.partition.mu.Lock()
	defer w.partition.mu.Unlock()
	for id, x := range w.learnt {
		w.envs[id] = x
	}
	w.partition.latest = max(w.partition.latest, w.latest)
	w.partition.owed += w.owed
}

// note takes in what an evaluation means for what the partition knows without
// looking.
func (w *commit) note(v *eval.Evaluation) {
	w.latest = max(w.latest, v.Time)
	if v.Status == eval.Deferred {
		w.owed++
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
	var b strings.Builder
	for _, table := range []string{"spans", "evaluations", "predecessors"} {
		b.WriteString("DELETE FROM " + p.alias() + "." + table + " WHERE seq IN (" + string(list) + ");")
	}
	return b.String()
}
