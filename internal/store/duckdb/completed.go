// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
	_ "embed"
	"slices"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/completion"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/index"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/recent"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/turns"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// The statements, each explained in its file.
var (
	//go:embed sql/spots.sql
	spotsSQL string
	//go:embed sql/heads.sql
	headsSQL string
)

// completed are new evaluations of one stored span.
type completed struct {
	store.Owner
	content     uint64 // that they were made of, 0 for any
	evaluations []*eval.Evaluation
	pairs       []completion.Pair // theirs
	placed      bool              // seq is known
	seq         int64
}

// add takes in an evaluation. Of two of one pair the later counts, unless it is of
// a lower revision.
func (c *completed) add(x *eval.Evaluation) {
	p := completion.PairOf(x)
	if i := slices.Index(c.pairs, p); i >= 0 {
		if x.Revision >= c.evaluations[i].Revision {
			c.evaluations[i] = x
		}
		return
	}
	c.pairs = append(c.pairs, p)
	c.evaluations = append(c.evaluations, x)
}

// completions returns what a group has to say of spans that are stored, by the
// partition that these are in. Spans that the group writes, too, are left out:
// what was said of them was of what they were before.
func (e *engine) completions(ctx context.Context, group []*turns.Request, arrivals []arrival) (map[*partitions.Partition][]*completed, error) {
	type subject struct {
		store.Owner
		content uint64
	}
	known := map[subject]*completed{}
	var list []*completed
	for _, r := range group {
		for i := range r.Evaluations {
			x := &r.Evaluations[i]
			s := subject{x.Location().Owner(), x.Content}
			if known[s] == nil {
				known[s] = &completed{Owner: s.Owner, content: x.Content}
				list = append(list, known[s])
			}
			for j := range x.Evaluations {
				known[s].add(&x.Evaluations[j])
			}
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	written := make(map[store.Owner]bool, len(arrivals))
	for i := range arrivals {
		written[arrivals[i].record.Owner()] = true
	}
	places := map[*partitions.Partition][]*completed{}
	var lost []*completed
	for _, x := range list {
		if written[x.Owner] {
			continue
		}
		at, found := e.placeOf(x.Owner)
		if !found {
			lost = append(lost, x)
			continue
		}
		if p := e.find(int64(at.Serial)); p != nil && x.isOf(at.Content) {
			x.seq = int64(at.Seq)
			places[p] = append(places[p], x)
		}
	}
	return places, e.locate(ctx, lost, places)
}

// isOf reports whether evaluations were made of this content.
func (c *completed) isOf(content uint64) bool { return c.content == 0 || c.content == content }

// placeOf returns where a span is, if that is known without looking.
func (e *engine) placeOf(o store.Owner) (recent.Place, bool) {
	number, known := e.window.Known(o.Environment)
	if !known {
		return recent.Place{}, false
	}
	return e.window.Find(recent.Key{Env: number, Span: o.Span})
}

// locate looks in all partitions for spans, the newest first.
func (e *engine) locate(ctx context.Context, lost []*completed, places map[*partitions.Partition][]*completed) error {
	e.mu.RLock()
	all := e.partitions
	e.mu.RUnlock()
	for i := len(all) - 1; i >= 0 && len(lost) > 0; i-- {
		p := all[i]
		if err := e.locateIn(ctx, p, lost, places); err != nil {
			return err
		}
		lost = slices.DeleteFunc(lost, func(x *completed) bool { return x.placed })
	}
	return nil
}

func (e *engine) locateIn(ctx context.Context, p *partitions.Partition, lost []*completed, places map[*partitions.Partition][]*completed) error {
	if !p.Hold() {
		return nil
	}
	defer p.Release()
	wanted := map[rowIdentity][]*completed{}
	l := &lateRows{}
	for _, x := range lost {
		b, ok := p.BoundsOf(x.Environment)
		if !ok || !b.Has(x.Span.Bucket) {
			continue
		}
		filter, err := e.keys.Of(ctx, p)
		if err != nil {
			return err
		}
		if filter.MayHave(b.Code, x.Span) {
			k := tables.KeyOf(b.Code, x.Span.TraceID, x.Span.SpanID)
			wanted[rowIdentity{k, x.Span.Bucket}] = append(wanted[rowIdentity{k, x.Span.Bucket}], x)
			l.add(k, x.Span.Bucket)
		}
	}
	return e.findRows(ctx, p, l, func(r spanRow) {
		for _, x := range wanted[r.identity()] {
			x.placed = true
			if x.isOf(uint64(r.content)) {
				x.seq = r.seq
				places[p] = append(places[p], x)
			}
		}
		delete(wanted, r.identity())
	})
}

// drop takes out an evaluation that does not count.
func (c *completed) drop(i int) {
	c.pairs = slices.Delete(c.pairs, i, i+1)
	c.evaluations = slices.Delete(c.evaluations, i, i+1)
}

// evaluationRow names a row of evaluations.
type evaluationRow struct {
	seq       int64
	judgement int32
}

// compare finds out which rows evaluations take the place of, and leaves out
// those of spans past their retention.
func (w *commit) compare(ctx context.Context, list []*completed) error {
	if len(list) == 0 {
		return nil
	}
	bySeq := make(map[int64]*completed, len(list))
	var seqs []int64
	for _, x := range list {
		first := bySeq[x.seq]
		if first == nil {
			bySeq[x.seq] = x
			seqs = append(seqs, x.seq)
			continue
		}
		for _, v := range x.evaluations {
			first.add(v)
		}
	}
	slices.Sort(seqs)
	err := w.engine.files.Alone(ctx, func(q *partitions.Querier) error {
		if err := q.In(ctx, w.partition); err != nil {
			return err
		}
		if err := w.passOver(ctx, q, seqs, bySeq); err != nil {
			return err
		}
		args := []any{seqs[0], seqs[len(seqs)-1], seqs}
		return q.Each(ctx, headsSQL, args, func(rows *sql.Rows) error {
			var row evaluationRow
			var of completion.Pair
			var status eval.Status
			var revision int64
			err := rows.Scan(&row.seq, &row.judgement, &of.Setup, &of.Evaluator, &status, &revision)
			if x := bySeq[row.seq]; x != nil {
				w.meet(x, row, of, status, revision)
			}
			return err
		})
	})
	for _, seq := range seqs {
		if x := bySeq[seq]; x != nil {
			w.completed = append(w.completed, x)
		}
	}
	return err
}

// meet compares a stored evaluation of a pair with what is said of its span.
func (w *commit) meet(x *completed, row evaluationRow, of completion.Pair, status eval.Status, revision int64) {
	i := slices.Index(x.pairs, of)
	if i < 0 {
		return
	}
	switch made := x.evaluations[i].Revision; {
	case made < revision:
		x.drop(i)
		return
	case made > revision:
		w.superseded = append(w.superseded, row)
	}
	w.removed = append(w.removed, row)
	if status == eval.Deferred {
		w.owed--
	}
}

// passOver takes those spans out of bySeq that are past their retention or not
// there.
func (w *commit) passOver(ctx context.Context, q *partitions.Querier, seqs []int64, bySeq map[int64]*completed) error {
	clock := w.engine.cfg.Now().UnixNano()
	first := map[tenant.EnvironmentID]int64{}
	all := true
	for _, x := range bySeq {
		b, _ := w.partition.BoundsOf(x.Environment)
		first[x.Environment] = partitions.After(clock, -max(b.Retention, 0))
		all = all && b.Min >= first[x.Environment]
	}
	if all {
		return nil
	}
	kept := make(map[int64]bool, len(seqs))
	err := q.Each(ctx, spotsSQL, []any{seqs[0], seqs[len(seqs)-1], seqs}, func(rows *sql.Rows) error {
		var seq, start int64
		var k tables.Key
		err := rows.Scan(&seq, &start, &k.Env, &k.Hi, &k.Lo, &k.ID)
		if x := bySeq[seq]; x != nil && start >= first[x.Environment] {
			kept[seq] = true
		}
		return err
	})
	for seq := range bySeq {
		if !kept[seq] {
			delete(bySeq, seq)
		}
	}
	return err
}

// keepEvaluations makes a statement that keeps rows as predecessors, "" where there
// are none.
func keepEvaluations(p *partitions.Partition, rows []evaluationRow) string {
	if len(rows) == 0 {
		return ""
	}
	return "INSERT INTO " + p.Alias() + ".predecessors BY NAME SELECT e.* FROM " + p.Alias() + ".evaluations e, " + rowList(rows) +
		" WHERE e.seq = gone.n >> 32 AND e.judgement = (gone.n & 4294967295)"
}

// deleteEvaluations makes a statement that deletes rows, "" where there are none.
func deleteEvaluations(p *partitions.Partition, rows []evaluationRow) string {
	if len(rows) == 0 {
		return ""
	}
	return "DELETE FROM " + p.Alias() + ".evaluations USING " + rowList(rows) +
		" WHERE seq = gone.n >> 32 AND judgement = (gone.n & 4294967295)"
}

// renewVerdicts makes a statement that brings the index of a partition, if it has
// one, in step with evaluations that were added to spans, "" where nothing is to be done.
func renewVerdicts(p *partitions.Partition, seqs []int64) string {
	if len(seqs) == 0 || !p.IsIndexed() {
		return ""
	}
	slices.Sort(seqs)
	return index.Renewed(p.Alias(), seqs)
}

// rowList is a table "gone" of rows. Two numbers in one can be looked up in one
// pass.
func rowList(rows []evaluationRow) string {
	list := make([]byte, 0, 20*len(rows))
	for i, r := range rows {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendInt(list, r.seq<<32|int64(r.judgement), 10)
	}
	return "(SELECT unnest([" + string(list) + "]::BIGINT[]) AS n) gone"
}
