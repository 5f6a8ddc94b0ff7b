// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
	"slices"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Evaluations gives the evaluations of one span, in the order they were made.
func (db *DB) Evaluations(ctx context.Context, env tenant.Environment, trace span.TraceID, id span.ID) ([]eval.Evaluation, error) {
	from := db.oldest(env)
	var list []eval.Evaluation
	err := db.look(ctx, "read evaluations", env.ID, func(q querier, partitions []held) error {
		list = nil
		for _, h := range slices.Backward(partitions) {
			if h.spans == 0 || h.max < from {
				continue
			}
			seqs, err := q.places(ctx, h, trace, id, from)
			if err != nil {
				return err
			}
			if len(seqs) > 0 {
				return q.verdicts(ctx, seqs, func(_ int64, v eval.Evaluation) { list = append(list, v) })
			}
		}
		return nil
	})
	return list, err
}

// places returns the rows of a span that started at from or later: one, or two
// while it is being replaced.
func (q querier) places(ctx context.Context, h held, trace span.TraceID, id span.ID, from int64) ([]int64, error) {
	if err := q.in(ctx, h.partition); err != nil {
		return nil, err
	}
	k := rowKeyOf(h.code, trace, id)
	var seqs []int64
	err := q.each(ctx, placeSQL, []any{k.env, k.hi, k.lo, k.id, from}, func(rows *sql.Rows) error {
		var seq int64
		err := rows.Scan(&seq)
		seqs = append(seqs, seq)
		return err
	})
	return seqs, err
}

// verdicts calls f for the evaluations of rows, in the order they were made.
func (q querier) verdicts(ctx context.Context, seqs []int64, f func(seq int64, v eval.Evaluation)) error {
	if len(seqs) == 0 {
		return nil
	}
	return q.each(ctx, "SELECT "+verdictColumns+" "+verdictsSQL+"("+numbers(seqs)+") ORDER BY e.seq, e.ended, e.rowid", nil, func(rows *sql.Rows) error {
		seq, v, err := scanVerdict(rows)
		if err == nil {
			f(seq, v)
		}
		return err
	})
}

// verdictColumns are what scanVerdict reads of evaluations e and judgements j.
var verdictColumns = evaluationColumns.names("e.") + ", " + judgementColumns.names("j.")

// scanVerdict reads a row of verdictColumns.
func scanVerdict(rows *sql.Rows) (seq int64, v eval.Evaluation, err error) {
	var x evaluated
	targets := make([]any, 0, len(evaluationColumns)+len(judgementColumns))
	err = rows.Scan(judgementColumns.into(evaluationColumns.into(targets, &x), &x)...)
	return x.seq, x.evaluation(), err
}

// parseOutput puts the text of an output back into its type.
func parseOutput(kinds string, i int, text string) any {
	if i >= len(kinds) {
		return text
	}
	var v any
	var err error
	switch kinds[i] {
	case 'b':
		v, err = strconv.ParseBool(text)
	case 'i':
		v, err = strconv.ParseInt(text, 10, 64)
	case 'f':
		v, err = strconv.ParseFloat(text, 64)
	default:
		return text
	}
	if err != nil {
		return text
	}
	return v
}
