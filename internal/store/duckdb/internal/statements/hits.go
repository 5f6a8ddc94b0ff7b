// SPDX-License-Identifier: Apache-2.0

// Package statements makes the SQL of queries on one partition: what a filter, an
// order, a position and an aggregate mean in it. Names of tables and columns are
// ours; all that users write is bound as an argument.
package statements

import (
	"context"
	"database/sql"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/index"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// Search makes the statements of one search.
type Search struct {
	query      query.Query
	slug       string     // of the environment
	conditions conditions // as far as they are the same in all partitions
	hashes     index.Hashes
}

// NewSearch returns the statements of a query, which is valid, of an environment
// with this slug. Apart says that there are messages that came apart from their
// spans: conditions on messages look at those, too. The error names what the query
// asks for that is not known.
func NewSearch(q query.Query, slug string, apart bool) (*Search, error) {
	s := &Search{query: q, slug: slug}
	s.conditions.stored = apart
	condition, err := s.conditions.filter(query.All(q.Filters...), slug)
	s.conditions.must(condition)
	return s, err
}

// Never reports whether nothing can satisfy the query.
func (s *Search) Never() bool { return s.conditions.never }

// ofOutputs reports whether hits are outputs of evaluations instead of spans.
func (s *Search) ofOutputs() bool { return s.query.Subject == query.Outputs }

// Prepare makes the tables that conditions look into, from what some partitions
// have.
func (s *Search) Prepare(ctx context.Context, q *partitions.Querier, within []partitions.Held) error {
	for _, l := range s.conditions.logged {
		if err := l.prepare(ctx, q, within); err != nil {
			return err
		}
	}
	return nil
}

// Part makes a statement of a search on one partition.
type Part struct {
	search     *Search
	bounds     partitions.Bounds // of the environment in the partition
	conditions conditions
	// Counted is how many spans of the partition satisfy the query, if the index knows it.
	Counted sql.NullInt64
}

// On returns what makes a statement for the partition that q is in, in which b is
// known of the environment. Who made a verdict is looked up there.
func (s *Search) On(ctx context.Context, q *partitions.Querier, b partitions.Bounds) (*Part, error) {
	c, n, err := s.conditionsIn(ctx, q, b)
	return &Part{search: s, bounds: b, conditions: c, Counted: n}, err
}

// Never reports whether nothing in the partition can satisfy the query.
func (p *Part) Never() bool { return p.conditions.never }

// counts reports whether the statement for the first hits counts all of them, since
// filters are dear.
func (p *Part) counts() bool {
	return p.search.query.Total && len(p.search.query.Filters) > 0 && !p.Counted.Valid
}

// Count returns the statement, and its arguments, that counts what satisfies the
// query. It takes over the conditions: only one statement can be made.
func (p *Part) Count() (string, []any) {
	st := p.search.statement("count(*)", p.bounds, p.conditions)
	return st.text(), st.conditions.args
}

// FirstHits returns the statement, and its arguments, for the first hits behind the
// position of the query and before worst, if that is not nil. It takes over the
// conditions: only one statement can be made. It is "" where there are no such hits.
func (p *Part) FirstHits(ctx context.Context, q *partitions.Querier, worst *query.Position) (string, []any, error) {
	v, err := p.search.verdicts(ctx, q, p, worst)
	if err != nil || p.conditions.never {
		return "", nil, err
	}
	text, args := p.search.firstHits(p, v, worst)
	return text, args, nil
}

// Hit is the place of a span or an output in the order, and where its row is.
type Hit struct {
	query.Position
	Seq   int64 // of the span
	Bytes int64 // of the span's texts as they were written; 0 where it is read without them
	Place OutputPlace
}

// ReadHit reads one row of FirstHits: a hit, or only how many rows of the partition
// match, or both. It reports whether there is a hit.
func (s *Search) ReadHit(rows *sql.Rows) (h Hit, found bool, matching sql.NullInt64, err error) {
	var number, hi, lo, id, seq, bytes sql.NullInt64
	var bucket sql.NullInt32
	var text sql.NullString
	var fraction sql.NullFloat64
	var value any = &number
	switch sortKind(s.query.Order.By) {
	case tables.Text:
		value = &text
	case tables.Real:
		value = &fraction
	}
	columns := []any{&matching, value, &hi, &lo, &id, &seq}
	if s.ofOutputs() {
		o := &h.Place
		columns = append(columns, &h.Start, &o.Row, &o.Judgement, &h.Setup, &h.Evaluator, &h.Output, &o.At, &o.Kind, &o.Backend, &o.Source, &o.Version, &o.Model)
	} else {
		columns = append(columns, &bucket, &bytes)
	}
	if err := rows.Scan(columns...); err != nil || !seq.Valid {
		return h, false, matching, err
	}
	k := tables.Key{Hi: hi.Int64, Lo: lo.Int64, ID: id.Int64}
	h.Seq, h.Bytes, h.TraceID, h.SpanID, h.Bucket = seq.Int64, bytes.Int64, k.TraceID(), k.SpanID(), span.Bucket(bucket.Int32)
	switch s.query.Order.By {
	case query.SortTimestamp:
		h.Start = number.Int64
	case query.SortMetric: // the names say it
	default:
		h.Number, h.Real, h.Text = number.Int64, fraction.Float64, text.String
	}
	return h, true, matching, nil
}
