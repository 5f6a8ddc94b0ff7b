// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"cmp"
	"context"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/clickhouse/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// evaluator is whose evaluation of a span it is.
type evaluator struct {
	store.Owner
	digest       uint64
	setup, named string
}

func (r *lateRow) evaluator() evaluator {
	return evaluator{r.owner(), r.digest, clean(r.evaluation.SetupID), clean(r.evaluation.Evaluator)}
}

// writeEvaluations writes what was said of stored spans, whose heads these are.
func (db *DB) writeEvaluations(ctx context.Context, group []*request, heads map[store.Owner]*spanRow) error {
	now := db.cfg.Now().UnixNano()
	var about []store.Owner
	for _, r := range group {
		for i := range r.batch.Evaluations {
			about = append(about, r.batch.Evaluations[i].Location().Owner())
		}
	}
	if len(about) == 0 {
		return nil
	}
	stored, err := db.late(ctx, lateTable, sqltext.Among(about))
	if err != nil {
		return err
	}
	p := placing{db: db, counting: map[evaluator]*lateRow{}, new: map[evaluator]*lateRow{}}
	for _, r := range stored {
		p.counting[r.evaluator()] = r
	}
	for _, r := range group {
		for i := range r.batch.Evaluations {
			x := &r.batch.Evaluations[i]
			h := heads[x.Location().Owner()]
			if h == nil || x.Span.Start == 0 || h.Expires < now || x.Content != 0 && x.Content != h.digest {
				continue
			}
			for _, v := range x.Evaluations {
				p.put(h, v)
			}
		}
	}
	// A crash in between leaves a predecessor that is the one that counts, too: it
	// is shown once.
	if err := insert(ctx, db, intoPredecessors, p.left); err != nil {
		return err
	}
	return insert(ctx, db, intoLate, p.rows())
}

// late returns evaluations that came later.
func (db *DB) late(ctx context.Context, table, where string) ([]*lateRow, error) {
	return rows(ctx, db, "read evaluations", lateColumns, "SELECT "+names(lateColumns)+" FROM "+table+" FINAL PREWHERE "+where)
}

// placing finds out what evaluations take the place of.
type placing struct {
	db       *DB
	counting map[evaluator]*lateRow
	new      map[evaluator]*lateRow
	order    []evaluator // of those that are new
	left     []*lateRow  // predecessors of them
}

// put takes in an evaluation of a span.
func (p *placing) put(h *spanRow, v eval.Evaluation) {
	r := &lateRow{head: h.head, evaluation: v}
	of, least := r.evaluator(), uint64(0)
	switch old := p.counting[of]; {
	case old != nil && v.Revision < old.evaluation.Revision:
		return
	case old != nil:
		least = old.rank
		if v.Revision > old.evaluation.Revision {
			p.left = append(p.left, old)
		}
	default:
		for i := range h.evaluations {
			if with := &h.evaluations[i]; clean(with.SetupID) == of.setup && clean(with.Evaluator) == of.named && v.Revision < with.Revision {
				return
			}
		}
	}
	r.rank = p.db.version(least)
	p.counting[of] = r
	if p.new[of] == nil {
		p.order = append(p.order, of)
	}
	p.new[of] = r
}

func (p *placing) rows() []*lateRow {
	list := make([]*lateRow, len(p.order))
	for i, of := range p.order {
		list[i] = p.new[of]
	}
	return list
}

// Evaluations implements store.Engine.
func (db *DB) Evaluations(ctx context.Context, at []store.Location, from int64, which store.Revisions) ([]store.Evaluated, error) {
	leave, err := db.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if len(at) == 0 {
		return nil, nil
	}
	found, err := db.spansAt(ctx, at, from)
	if err != nil {
		return nil, err
	}
	if err := db.addLate(ctx, found, which); err != nil {
		return nil, err
	}
	return evaluatedAt(at, found), nil
}

// evaluatedColumns are what of a span and its evaluations Evaluations reads.
var evaluatedColumns = slices.Concat(keyColumns, arrayColumns())

// spansAt returns the spans of locations that are within the retention that was
// stored with them, and started at a time or later.
func (db *DB) spansAt(ctx context.Context, at []store.Location, from int64) ([]*spanRow, error) {
	var known []store.Owner
	anywhere := map[tenant.EnvironmentID][]span.Key{} // with starts that are not known
	for _, l := range at {
		if l.Span.Start != 0 {
			known = append(known, l.Owner())
			continue
		}
		anywhere[l.Environment] = append(anywhere[l.Environment], l.Span)
	}
	where := sqltext.Among(known)
	for env, keys := range anywhere {
		traces := make([]span.TraceID, len(keys))
		for i, k := range keys {
			traces[i] = k.TraceID
		}
		where += " OR env = " + sqltext.Literal(string(env)) + " AND " + sqltext.InTraces(traces) + " AND " + sqltext.HasID(keys)
	}
	now := db.cfg.Now().UnixNano()
	return rows(ctx, db, "read evaluations", evaluatedColumns, "SELECT "+names(evaluatedColumns)+" FROM "+spansTable+
		" FINAL PREWHERE "+where+" WHERE start >= "+sqltext.Whole(from)+" AND expires >= "+sqltext.Whole(now))
}

// addLate replaces the evaluations of spans by those that came later, and adds
// these; with all revisions it adds the predecessors.
func (db *DB) addLate(ctx context.Context, spans []*spanRow, which store.Revisions) error {
	if len(spans) == 0 {
		return nil
	}
	of := make([]store.Owner, len(spans))
	for i, r := range spans {
		of[i] = r.owner()
	}
	where := sqltext.Among(of)
	late, err := db.late(ctx, lateTable, where)
	if err != nil {
		return err
	}
	var predecessors []*lateRow
	if which == store.AllRevisions {
		if predecessors, err = db.late(ctx, predecessorsTable, where); err != nil {
			return err
		}
	}
	byOwner := map[store.Owner][2][]*lateRow{}
	for i, list := range [2][]*lateRow{late, predecessors} {
		for _, r := range list {
			lists := byOwner[r.owner()]
			lists[i] = append(lists[i], r)
			byOwner[r.owner()] = lists
		}
	}
	for _, r := range spans {
		lists := byOwner[r.owner()]
		r.evaluations = joined(r, lists[0], lists[1], which)
	}
	return nil
}

// joined returns the evaluations of a span in the order in which they were made:
// what came later takes the place of what came with it, as far as it was made of the
// same content.
func joined(r *spanRow, late, predecessors []*lateRow, which store.Revisions) []eval.Evaluation {
	type of struct{ setup, evaluator string }
	type revision struct {
		of
		n int64
	}
	latest, left := map[of]int64{}, map[revision]bool{}
	var list, before, last []eval.Evaluation
	for _, x := range late {
		if v := x.evaluation; x.digest == r.digest {
			latest[of{v.SetupID, v.Evaluator}] = v.Revision
			last = append(last, v)
		}
	}
	for _, x := range predecessors {
		v := x.evaluation
		if id := (of{v.SetupID, v.Evaluator}); x.digest == r.digest && v.Revision < latest[id] {
			left[revision{id, v.Revision}] = true
			before = append(before, v)
		}
	}
	for _, v := range r.evaluations {
		id := of{v.SetupID, v.Evaluator}
		highest, replaced := latest[id]
		if !replaced || which == store.AllRevisions && v.Revision < highest && !left[revision{id, v.Revision}] {
			list = append(list, v)
		}
	}
	slices.SortFunc(last, func(a, b eval.Evaluation) int {
		return cmp.Or(cmp.Compare(a.SetupID, b.SetupID), cmp.Compare(a.Evaluator, b.Evaluator))
	})
	list = slices.Concat(list, before, last)
	sortMade(list)
	return list
}

// sortMade sorts evaluations by when they were made. Of those of one time what came
// later counts as later, and otherwise the order in which they came.
func sortMade(list []eval.Evaluation) {
	slices.SortStableFunc(list, func(a, b eval.Evaluation) int { return cmp.Compare(a.Time, b.Time) })
}

// evaluatedAt returns the evaluations of the spans that locations mean, each once.
func evaluatedAt(at []store.Location, found []*spanRow) (list []store.Evaluated) {
	slices.SortFunc(found, func(a, b *spanRow) int { return cmp.Compare(a.span.Start, b.span.Start) })
	type ids struct {
		env   tenant.EnvironmentID
		trace span.TraceID
		id    span.ID
	}
	places := map[ids][]*spanRow{}
	for _, r := range found {
		k := ids{r.env, r.trace, r.id}
		places[k] = append(places[k], r)
	}
	seen := map[*spanRow]bool{}
	for _, l := range at {
		for _, r := range places[ids{l.Environment, l.Span.TraceID, l.Span.SpanID}] {
			if !seen[r] && l.Span.Means(r.key()) {
				seen[r] = true
				list = append(list, store.Evaluated{Environment: r.env, Span: r.key(), Content: r.digest, Evaluations: r.evaluations})
			}
		}
	}
	return list
}

func (r *spanRow) key() span.Key {
	return span.Key{TraceID: r.trace, SpanID: r.id, Start: r.span.Start}
}
