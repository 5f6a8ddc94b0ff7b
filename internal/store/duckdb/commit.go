// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/index"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/keyfilter"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/recent"
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
func (e *engine) writeAll(ctx context.Context, list []*batch, completed map[*partitions.Partition][]*completed) error {
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
		if !p.Hold() {
			continue // gone, with all its spans
		}
		err := e.writeBatch(ctx, p, &batch{completed: c})
		p.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *engine) writeBatch(ctx context.Context, p *partitions.Partition, b *batch) error {
	if err := e.pinToWrite(ctx, p); err != nil {
		return err
	}
	defer p.EndWriting()
	p.Lock()
	defer p.Unlock()
	w := &commit{engine: e, partition: p, learnt: map[tenant.EnvironmentID]partitions.Bounds{}}
	if err := w.prepare(ctx, b); err != nil {
		return err
	}
	if err := w.do(b); err != nil {
		e.tables.Abandon()
		p.Dictionaries.Forget()
		return errors.Join(err, e.instance.RollBack())
	}
	w.remember(b)
	if err := p.Protect(); err != nil {
		return err
	}
	if err := e.removeReplaced(ctx, p, w.elsewhere); err != nil {
		// The batch is durable. What it replaces goes when the engine is opened
		// again, as after a crash.
		e.files.SetSuspect()
		e.cfg.Report("replaced spans could not be deleted; they will be when the engine is opened again", err)
	}
	e.noteLog(p)
	return nil
}

// commit is one transaction on one partition.
type commit struct {
	engine    *engine
	partition *partitions.Partition
	// learnt is what the partition will know of environments afterwards.
	learnt map[tenant.EnvironmentID]partitions.Bounds
	// keys is the partition's filter, nil where no spans are added.
	keys *keyfilter.Filter
	// here and elsewhere are the rows that are replaced, in this partition and
	// by serial in others.
	here      []recent.Place
	elsewhere map[uint32][]recent.Place
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
		if a := &b.arrivals[i]; a.stored && int64(a.old.Serial) == w.serial() {
			w.here = append(w.here, a.old)
		}
	}
	if len(b.arrivals) > 0 {
		var err error
		if w.keys, err = w.engine.keys.Opened(ctx, w.partition); err != nil {
			return err
		}
	}
	owed, err := w.engine.owedIn(ctx, w.partition, w.here)
	if err != nil {
		return err
	}
	w.owed -= owed
	return w.compare(ctx, b.completed)
}

func (w *commit) do(b *batch) error {
	if err := w.engine.instance.Run("BEGIN TRANSACTION"); err != nil {
		return err
	}
	// Before anything is added that could be taken for it.
	if err := w.run(keepEvaluations(w.partition, w.superseded)); err != nil {
		return err
	}
	if err := w.run(deleteEvaluations(w.partition, w.removed)); err != nil {
		return err
	}
	w.engine.tables.Open(w.engine.instance.Writer(), w.partition.Alias())
	enc := tables.NewEncoder(w.engine.tables, w.partition.Dictionaries)
	for i := range b.arrivals {
		a := &b.arrivals[i]
		x := w.environment(a.record.Environment)
		x.Widen(a.record.Span.Start, a.record.Span.Start)
		x.Buckets = x.Buckets.With(a.key.Span.Bucket)
		x.Spans++
		if a.stored {
			w.replace(&x, a)
		}
		w.learnt[a.record.Environment.ID] = x
		seq := w.partition.NextSeq() + int64(i)
		enc.Span(seq, x.Code, a.content, a.record)
		for j := range a.record.Evaluations {
			w.note(&a.record.Evaluations[j])
		}
	}
	for _, m := range b.messages {
		x := w.environment(m.Environment)
		x.Widen(m.Time, m.Time)
		x.Messages++
		w.learnt[m.Environment.ID] = x
		enc.Messages(x.Code, m)
	}
	for _, x := range w.completed {
		for _, v := range x.evaluations {
			enc.Evaluation(x.seq, v)
			w.note(v)
		}
	}
	if err := w.engine.tables.Finish(); err != nil {
		return err
	}
	if err := w.run(deleteRows(w.partition, w.here)); err != nil {
		return err
	}
	if err := w.run(renewVerdicts(w.partition, w.judged())); err != nil {
		return err
	}
	err := w.engine.instance.Run("COMMIT")
	if err != nil {
		// DuckDB may have added a part of it to what it has of the file in memory, and
		// would write that into the file later: both are to be read again.
		w.engine.files.SetSuspect()
	}
	return err
}

// run executes a statement; of "" there is nothing to execute.
func (w *commit) run(statement string) error {
	if statement == "" {
		return nil
	}
	return w.engine.instance.Run(statement)
}

// environment returns what will be known of an environment; one that is new to
// the partition, or whose retention grew, is written down.
func (w *commit) environment(env tenant.Environment) partitions.Bounds {
	x, found := w.learnt[env.ID]
	if !found {
		x, found = w.partition.BoundsOf(env.ID)
	}
	if !found {
		x.Code = w.partition.NewCode()
	}
	if !found || x.Retention < env.Retention {
		x.Retention = env.Retention
		w.engine.tables.Environment(x.Code, env)
	}
	return x
}

// replace notes the row that a replaces.
func (w *commit) replace(x *partitions.Bounds, a *arrival) {
	if int64(a.old.Serial) == w.serial() {
		x.Spans--
		return
	}
	if w.elsewhere == nil {
		w.elsewhere = map[uint32][]recent.Place{}
	}
	w.elsewhere[a.old.Serial] = append(w.elsewhere[a.old.Serial], a.old)
	w.engine.tables.Replacement(a.old.Serial, a.old.Seq)
}

func (w *commit) serial() int64 { return w.partition.Serial }

// remember makes what was committed known.
func (w *commit) remember(b *batch) {
	for i := range b.arrivals {
		a := &b.arrivals[i]
		x := w.learnt[a.record.Environment.ID]
		w.keys.Add(x.Code, a.key.Span)
		w.engine.window.Put(a.key, recent.Place{
			Serial:  uint32(w.serial()),
			Seq:     uint32(w.partition.NextSeq() + int64(i)),
			Content: a.content,
		})
	}
	w.partition.Committed(partitions.Change{
		Spans: int64(len(b.arrivals)), Rows: b.rows(), Environments: w.learnt, Latest: w.latest, Owed: w.owed,
		Judged: w.judged(), Deleted: seqsOf(w.here),
	})
}

// judged returns the stored spans that evaluations were added to.
func (w *commit) judged() []int64 {
	seqs := make([]int64, len(w.completed))
	for i, x := range w.completed {
		seqs[i] = x.seq
	}
	return seqs
}

// note takes in what an evaluation means for what the partition knows without
// looking.
func (w *commit) note(v *eval.Evaluation) {
	w.latest = max(w.latest, v.Time)
	if v.Status == eval.Deferred {
		w.owed++
	}
}

// deleteRows makes a statement that deletes rows and what belongs to them, "" where
// there are none.
func deleteRows(p *partitions.Partition, rows []recent.Place) string {
	if len(rows) == 0 {
		return ""
	}
	list := make([]byte, 0, 8*len(rows))
	for i, r := range rows {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendUint(list, uint64(r.Seq), 10)
	}
	var b strings.Builder
	for _, table := range []string{"spans", "evaluations", "predecessors"} {
		b.WriteString("DELETE FROM " + p.Alias() + "." + table + " WHERE seq IN (" + string(list) + ");")
	}
	if p.IsIndexed() {
		b.WriteString(index.Gone(p.Alias(), string(list)))
	}
	return b.String()
}
