// SPDX-License-Identifier: Apache-2.0

package statements

import (
	_ "embed"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/partitions"
)

//go:embed sql/outputs.sql
var outputsSQL string

// statement is a SELECT on the spans s of one partition, or on their evaluations
// e and the outputs j of those.
type statement struct {
	conditions conditions
	what       string
	with       []string // tables made for it
}

// statement begins a query for what, of the rows of a partition that satisfy c,
// which it takes over.
func (s *Search) statement(what string, b partitions.Bounds, c conditions) *statement {
	st := &statement{conditions: c, what: what}
	st.conditions.where = append(st.conditions.where, "s.env = "+strconv.Itoa(int(b.Code)))
	if s.query.From > b.Min || b.Messages > 0 {
		st.conditions.where = append(st.conditions.where, "s.start >= "+st.conditions.arg(s.query.From)+"::BIGINT")
	}
	if s.query.To < b.Max || b.Messages > 0 {
		st.conditions.where = append(st.conditions.where, "s.start <= "+st.conditions.arg(s.query.To)+"::BIGINT")
	}
	if s.ofOutputs() {
		st.with = append(st.with, "j AS ("+outputsSQL+")")
		st.conditions.joins = append(st.conditions.joins, "JOIN evaluations e ON e.seq = s.seq", "JOIN j ON j.id = e.judgement")
	}
	return st
}

// text returns the statement.
func (st *statement) text() string { return st.tables() + st.rows() }

// tables returns what comes before the statement.
func (st *statement) tables() string {
	if len(st.with) == 0 {
		return ""
	}
	return "WITH " + strings.Join(st.with, ", ") + " "
}

func (st *statement) rows() string {
	return "SELECT " + st.what + " FROM spans s " + strings.Join(st.conditions.joins, " ") + " WHERE " + strings.Join(st.conditions.where, " AND ")
}

const (
	// hitColumns are what is known of a hit: what it sorts by goes before them.
	hitColumns = " AS k, s.trace_hi AS hi, s.trace_lo AS lo, s.span_id AS id, s.seq AS seq"
	// outputColumns are what is known of a hit that is an output, besides. What
	// only positions are compared with the engine leaves out where there is none.
	outputColumns = ", s.start AS start, e.rowid AS row, j.id AS judgement, j.place AS place" +
		", j.setup AS setup, j.evaluator AS evaluator, j.name AS output"
)

// bucketColumn is the last of what spans sort by.
var bucketColumn = ", (s.start // " + strconv.FormatInt(int64(span.BucketLength), 10) + ")::INTEGER AS bucket"

// bytesColumn is how much text a hit has, behind what spans sort by. Brief spans are
// read without theirs.
func (s *Search) bytesColumn() string {
	if s.query.Brief {
		return ", 0::BIGINT AS bytes"
	}
	return ", s.text_bytes AS bytes"
}

// firstHits returns the statement, and its arguments, for the first hits of one
// partition behind the position of the query and before worst, if that is not nil.
// V is what a sort by verdicts needs. ReadHit reads its rows.
func (s *Search) firstHits(p *Part, v verdicts, worst *query.Position) (string, []any) {
	what := sortColumn(s.query.Order) + hitColumns
	if s.ofOutputs() {
		what += outputColumns + ", " + s.names() + " AS names"
	} else {
		what += bucketColumn + s.bytesColumn()
	}
	st := s.statement(what, p.bounds, p.conditions)
	if v.rows != "" {
		join := "LEFT JOIN"
		if v.all {
			join = "JOIN"
		}
		st.conditions.joins = append(st.conditions.joins, join+" v ON v.seq = s.seq")
		st.with = append(st.with, "v AS MATERIALIZED ("+v.rows+")")
	}
	hits := " FROM m" + s.rest(st, worst)
	switch {
	case s.ofOutputs(): // names are looked up for hits alone
		st.with = append(st.with, "m AS NOT MATERIALIZED ("+st.rows()+")")
		return st.tables() + "SELECT NULL::BIGINT, h.k, h.hi, h.lo, h.id, h.seq, h.start, h.row, h.judgement, " +
			"j.setup, j.evaluator, j.name, j.place, j.kind, j.backend, j.source, j.version, j.model " +
			"FROM (SELECT k, hi, lo, id, seq, start, row, judgement, place" + hits + ") h " +
			"JOIN j ON j.id = h.judgement AND j.place = h.place", st.conditions.args
	case p.counts(): // the same pass tells how many match
		st.with = append(st.with, "m AS MATERIALIZED ("+st.rows()+")")
		return st.tables() + "SELECT * FROM (SELECT count(*) FROM m) LEFT JOIN (SELECT *" + hits + ") ON true", st.conditions.args
	}
	st.with = append(st.with, "m AS NOT MATERIALIZED ("+st.rows()+")")
	return st.tables() + "SELECT NULL::BIGINT, *" + hits, st.conditions.args
}

// rest returns what follows FROM: which hits, and in which order.
func (s *Search) rest(st *statement, worst *query.Position) string {
	columns := s.orderColumns()
	var where, order []string
	if s.query.After != nil {
		where = append(where, behind(st, columns, s.query.After, s.query.Order.Descending))
	}
	if worst != nil {
		where = append(where, behind(st, columns, worst, !s.query.Order.Descending))
	}
	for _, c := range columns {
		name := c.name
		if s.query.Order.Descending {
			name += " DESC"
		}
		order = append(order, name)
	}
	rest := ""
	if len(where) > 0 {
		rest = " WHERE " + strings.Join(where, " AND ")
	}
	return rest + " ORDER BY " + strings.Join(order, ", ") + " LIMIT " + strconv.Itoa(s.query.Limit+1)
}
