// SPDX-License-Identifier: Apache-2.0

package statements

import (
	"context"
	"database/sql"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/index"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// visit is what conditions ask of the partition that a query is in. Its first error
// is kept for the end: what is asked after it is answered with nothing.
type visit struct {
	ctx     context.Context //nolint:containedctx // conditions are made within one call
	q       *partitions.Querier
	code    int32 // of the environment
	hashes  *index.Hashes
	recall  partitions.Recall
	indexed bool  // there is an index
	gone    int64 // spans that were deleted since, -1 if that is not known
	judges  map[query.Field][]judge
	keys    map[string]places
	texts   *homes // nil until it is known
	// from and to are the time that the query asks for, first and last what is known of
	// that of spans.
	from, to, first, last int64
	spans                 int64 // of the environment
	// counted is the number of spans that satisfy the condition which was made last,
	// if that is known.
	counted sql.NullInt64
	err     error
}

// newVisit begins a visit of the partition that q is in, in which the environment
// has this code.
func newVisit(ctx context.Context, q *partitions.Querier, code int32, h *index.Hashes) (*visit, error) {
	v := &visit{
		ctx: ctx, q: q, code: code, hashes: h, recall: q.Recall(), indexed: true, gone: -1,
		judges: map[query.Field][]judge{}, keys: map[string]places{},
	}
	if q.IsIndexed() {
		return v, nil
	}
	state, err := index.Look(ctx, q.Conn)
	v.indexed, v.gone = state.Made, state.Gone
	if v.indexed {
		q.SetIndexed()
	}
	return v, err
}

// fail keeps the first error.
func (v *visit) fail(err error) {
	if v.err == nil {
		v.err = err
	}
}

// places are where values of a key can be: in a list of the span, in one of its
// columns, and in its resource.
type places struct{ kept, folded, resource bool }

func (v *visit) places(key string) (p places) {
	p, known := v.keys[key]
	if known || v.err != nil {
		return p
	}
	if x, found := v.recall.Get("places", key, 0); found && v.indexed { // it takes in no more spans
		p, _ = x.(places)
		return p
	}
	list := strconv.Itoa(tables.ListOf(key))
	v.fail(v.q.Conn.QueryRowContext(v.ctx, "SELECT coalesce(bool_or(list_contains(kept"+list+", $1)), false), "+
		"coalesce(bool_or(list_contains(folded, $1)), false), "+
		"(SELECT coalesce(bool_or(list_contains(keys, $1)), false) FROM origins) FROM shapes", key).Scan(&p.kept, &p.folded, &p.resource))
	v.keys[key] = p
	if v.indexed && v.err == nil {
		v.recall.Put("places", key, 0, p, len(key))
	}
	return p
}

// judgesOf returns the judgements of an evaluator's output.
func (v *visit) judgesOf(f query.Field) []judge {
	list, known := v.judges[f]
	if known || v.err != nil {
		return list
	}
	list, err := judgesIn(v.ctx, v.q, f.Name, f.Output)
	v.fail(err)
	v.judges[f] = list
	return list
}

// deleted returns how many spans were deleted since the index was made.
func (v *visit) deleted() int64 {
	if v.gone < 0 && v.err == nil {
		v.fail(v.q.Conn.QueryRowContext(v.ctx, "SELECT count(*) FROM gone").Scan(&v.gone))
	}
	return v.gone
}

// tokens returns the tokens of a key with some values, with commas between them.
func (v *visit) tokens(key string, values []string) string {
	list := make([]int64, len(values))
	for i, value := range values {
		var err error
		list[i], err = v.hashes.Token(v.ctx, v.q.Conn, v.code, key, value)
		v.fail(err)
	}
	return sqltext.Numbers(list)
}

// field returns the number of an evaluator's output in the index.
func (v *visit) field(f query.Field) string {
	n, err := v.hashes.Field(v.ctx, v.q.Conn, v.code, f.Name, f.Output)
	v.fail(err)
	return strconv.FormatInt(n, 10)
}

// count notes how many spans satisfy the condition that is being made.
func (v *visit) count(n int64) { v.counted = sql.NullInt64{Int64: n, Valid: true} }

// fewRows is up to how many spans a condition names each: then the engine decodes
// nothing of others.
const fewRows = 64

// set is some spans, as the index has them.
type set struct {
	n     int64   // how many
	few   []int64 // their seqs, unless they are many
	table string
	where func(*conditions) string
}

// find looks spans up in a table of the index. Where makes the condition on its rows.
func (v *visit) find(table string, where func(*conditions) string) set {
	s := set{table: table, where: where}
	if v.err != nil {
		return s
	}
	c := &conditions{}
	of := " FROM " + table + " WHERE " + where(c)
	if v.gone < 0 { // the same statement tells
		v.fail(v.q.Conn.QueryRowContext(v.ctx, "SELECT count(*), (SELECT count(*) FROM gone)"+of, c.args...).Scan(&s.n, &v.gone))
	} else {
		s.n = -1
	}
	if v.gone > 0 {
		of += " AND seq NOT IN (SELECT seq FROM gone)"
		s.n = -1
	}
	if s.n < 0 {
		v.fail(v.q.Conn.QueryRowContext(v.ctx, "SELECT count(*)"+of, c.args...).Scan(&s.n))
	}
	if v.err != nil || s.n == 0 || s.n > fewRows {
		return s
	}
	v.fail(v.q.Each(v.ctx, "SELECT seq"+of, c.args, func(rows *sql.Rows) error {
		var seq int64
		err := rows.Scan(&seq)
		s.few = append(s.few, seq)
		return err
	}))
	return s
}

// condition returns the condition that a span is one of the set.
func (s set) condition(c *conditions) string {
	if len(s.few) > 0 {
		return "(" + sqltext.Among("s.seq", s.few) + ")"
	}
	return "s.seq IN (SELECT seq FROM " + s.table + " WHERE " + s.where(c) + ")"
}
