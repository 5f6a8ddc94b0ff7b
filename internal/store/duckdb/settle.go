// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
	"slices"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Settle stores evaluations of stored spans, those of one partition in one
// commit.
func (db *DB) Settle(ctx context.Context, settlements []store.Evaluated) error {
	if len(settlements) == 0 {
		return ctx.Err()
	}
	return db.submit(ctx, newRequest(request{settlements: settlements}))
}

// settled is what becomes of the evaluations of one span.
type settled struct {
	owner
	evaluations []*eval.Evaluation // one of each pair
	pairs       []pair             // theirs
	placed      bool               // seq is known
	seq         int64
}

// add takes in an evaluation. Of two of one pair the later counts, unless the
// earlier is done.
func (s *settled) add(x *eval.Evaluation) {
	p := pairOf(x.SetupID, x.Evaluator)
	i := slices.Index(s.pairs, p)
	switch {
	case i < 0:
		s.pairs = append(s.pairs, p)
		s.evaluations = append(s.evaluations, x)
	case s.evaluations[i].Status != eval.Done:
		s.evaluations[i] = x
	}
}

// settlements are those of one group of requests.
type settlements struct {
	list []*settled
	// places has those whose span is stored, by partition.
	places map[*partition][]*settled
}

// settlements puts together what a group settles. Spans that the group writes,
// too, are left out: what was said of them was of what they were before.
func (e *engine) settlements(ctx context.Context, group []*request, arrivals []arrival) (*settlements, error) {
	s := &settlements{places: map[*partition][]*settled{}}
	index := map[owner]*settled{}
	for _, r := range group {
		for i := range r.settlements {
			x := &r.settlements[i]
			o := owner{env: x.Environment, span: x.Span}
			if index[o] == nil {
				index[o] = &settled{owner: o}
				s.list = append(s.list, index[o])
			}
			for j := range x.Evaluations {
				index[o].add(&x.Evaluations[j])
			}
		}
	}
	if len(s.list) == 0 {
		return s, nil
	}
	for i := range arrivals {
		delete(index, ownerOf(arrivals[i].record))
	}
	var lost []*settled
	for _, x := range s.list {
		if index[x.owner] == nil {
			continue
		}
		at, found := e.spotOf(x.owner)
		if !found {
			lost = append(lost, x)
			continue
		}
		if p := e.find(at.serial); p != nil {
			x.seq, x.placed = at.seq, true
			s.places[p] = append(s.places[p], x)
		}
	}
	return s, e.search(ctx, lost, s.places)
}

// evaluationRow names a row of evaluations.
type evaluationRow struct {
	seq       int64
	judgement int32
}

// compare finds out what settlements come to: nothing where an evaluation is
// done, or a span past its retention.
func (w *commit) compare(ctx context.Context, list []*settled) error {
	if len(list) == 0 {
		return nil
	}
	bySeq := make(map[int64]*settled, len(list))
	seqs := make([]int64, 0, len(list))
	for _, x := range list {
		bySeq[x.seq] = x
		seqs = append(seqs, x.seq)
	}
	slices.Sort(seqs)
	err := w.alone(ctx, func(q querier) error {
		if err := q.in(ctx, w.partition); err != nil {
			return err
		}
		if err := w.passOver(ctx, q, seqs, bySeq); err != nil {
			return err
		}
		args := []any{seqs[0], seqs[len(seqs)-1], seqs}
		return q.each(ctx, headsSQL, args, func(rows *sql.Rows) error {
			var row evaluationRow
			var of pair
			var status eval.Status
			err := rows.Scan(&row.seq, &row.judgement, &of.setup, &of.evaluator, &status)
			if x := bySeq[row.seq]; x != nil {
				w.meet(x, row, of, status)
			}
			return err
		})
	})
	for _, x := range list {
		if bySeq[x.seq] == x {
			w.settled = append(w.settled, x)
		}
	}
	return err
}

// meet compares a settlement with an evaluation that its span has.
func (w *commit) meet(x *settled, row evaluationRow, of pair, status eval.Status) {
	i := slices.Index(x.pairs, of)
	switch {
	case i < 0:
	case status == eval.Done, status == eval.Deferred && isOwedAnew(x.evaluations[i]):
		x.evaluations[i] = nil
	default:
		w.removed = append(w.removed, row)
		if status == eval.Deferred {
			w.owed--
		}
	}
}

// isOwedAnew reports whether an evaluation is deferred as if nobody had tried it
// or put it off.
func isOwedAnew(e *eval.Evaluation) bool {
	return e.Status == eval.Deferred && e.Attempts == 0 && e.Reason != eval.ReasonCost
}

// passOver takes those spans out of bySeq that are past their retention or not
// there.
func (w *commit) passOver(ctx context.Context, q querier, seqs []int64, bySeq map[int64]*settled) error {
	clock := w.cfg.Now().UnixNano()
	first := map[tenant.EnvironmentID]int64{}
	all := true
	for _, x := range bySeq {
		b, _ := w.bound(x.env)
		first[x.env] = after(clock, -max(b.retention, 0))
		all = all && b.min >= first[x.env]
	}
	if all {
		return nil
	}
	kept := make(map[int64]bool, len(seqs))
	err := q.each(ctx, spotsSQL, []any{seqs[0], seqs[len(seqs)-1], seqs}, func(rows *sql.Rows) error {
		var seq, start int64
		var k rowKey
		err := rows.Scan(&seq, &start, &k.env, &k.hi, &k.lo, &k.id)
		if x := bySeq[seq]; x != nil && start >= first[x.env] {
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

// deleteEvaluations makes a statement that deletes rows. Two numbers in one can
// be looked up in one pass.
func deleteEvaluations(p *partition, rows []evaluationRow) string {
	if len(rows) == 0 {
		return "SELECT 1"
	}
	list := make([]byte, 0, 20*len(rows))
	for i, r := range rows {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendInt(list, r.seq<<32|int64(r.judgement), 10)
	}
	return "DELETE FROM " + p.alias() + ".evaluations USING (SELECT unnest([" + string(list) +
		"]::BIGINT[]) AS n) gone WHERE seq = gone.n >> 32 AND judgement = (gone.n & 4294967295)"
}
