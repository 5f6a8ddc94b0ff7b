// SPDX-License-Identifier: Apache-2.0

package index

import (
	"context"
	"database/sql"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/tables"
)

// counted is of how many spans rows are counted together.
const counted = 1024

// seqs are those of spans from From on, below To.
type seqs struct{ From, To int64 }

// of returns the condition that the seq of a table's row is among them.
func (s seqs) of(table string) string {
	return table + ".seq >= " + strconv.FormatInt(s.From, 10) + " AND " + table + ".seq < " + strconv.FormatInt(s.To, 10)
}

// rangesOf returns ranges of spans that have at most so many rows, as far as counted
// spans have no more, where rows is their number in from, which has a table s.
func rangesOf(ctx context.Context, conn *sql.Conn, most int64, rows, from string) (list []seqs, err error) {
	in, n := strconv.Itoa(counted), int64(0)
	query := "SELECT s.seq // " + in + " AS part, coalesce(" + rows + ", 0)::BIGINT FROM " + from + " GROUP BY part ORDER BY part"
	err = tables.Each(ctx, conn, query, nil, func(found *sql.Rows) error {
		var part, has int64
		if err := found.Scan(&part, &has); err != nil {
			return err
		}
		from, to := part*counted, (part+1)*counted
		if len(list) == 0 || n+has > most {
			list, n = append(list, seqs{From: from}), 0
		}
		list[len(list)-1].To = to
		n += has
		return nil
	})
	return list, err
}

// part is some of the verdicts: those of fields on a range of spans.
type part struct {
	fields []string // hashes of evaluator and output
	shared bool     // several setups ask for each
	seqs   seqs
}

// condition returns that a field is one of the part's.
func (p *part) condition() string { return "field IN (" + strings.Join(p.fields, ", ") + ")" }

// field is one output of an evaluator, and how many verdicts there are of it.
type field struct {
	hash   string
	shared bool // also where no evaluation of the other setups is left
	rows   int64
}

// partsOf returns all verdicts in parts of at most so many, as far as counted spans
// have no more of one field.
func partsOf(ctx context.Context, conn *sql.Conn, most int64) (list []part, err error) {
	var fields []field
	query := "WITH " + outputsSQL + ", made AS (SELECT judgement, count(*) AS rows FROM evaluations GROUP BY judgement) " +
		"SELECT field::VARCHAR, min(setup) <> max(setup) AS shared, sum(rows)::BIGINT FROM outputs LEFT JOIN made ON judgement = id GROUP BY field HAVING sum(rows) > 0 ORDER BY shared, field"
	err = tables.Each(ctx, conn, query, nil, func(found *sql.Rows) error {
		var f field
		err := found.Scan(&f.hash, &f.shared, &f.rows)
		fields = append(fields, f)
		return err
	})
	if err != nil {
		return nil, err
	}
	var all seqs
	if err := conn.QueryRowContext(ctx, "SELECT coalesce(min(seq), 0), coalesce(max(seq), 0) + 1 FROM spans").Scan(&all.From, &all.To); err != nil {
		return nil, err
	}
	n := int64(0)
	for _, f := range fields {
		if f.rows > most {
			ranges, err := rangesOf(ctx, conn, most, "count(*)",
				"evaluations s WHERE judgement IN (WITH "+outputsSQL+" SELECT id FROM outputs WHERE field = "+f.hash+")")
			if err != nil {
				return nil, err
			}
			for _, r := range ranges {
				list = append(list, part{fields: []string{f.hash}, shared: f.shared, seqs: r})
			}
			n = most // nothing is added to the last
			continue
		}
		if len(list) == 0 || n+f.rows > most || list[len(list)-1].shared != f.shared {
			list, n = append(list, part{shared: f.shared, seqs: all}), 0
		}
		last := &list[len(list)-1]
		last.fields = append(last.fields, f.hash)
		n += f.rows
	}
	return list, nil
}
