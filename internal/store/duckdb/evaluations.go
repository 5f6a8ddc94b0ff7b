// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"context"
	"database/sql"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Evaluations gives the evaluations of one span, in the order they were made.
func (db *DB) Evaluations(ctx context.Context, env tenant.Environment, trace span.TraceID, id span.ID) ([]eval.Evaluation, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	from := after(db.cfg.Now().UnixNano(), -max(env.Retention, 0))
	e, err := db.running(ctx)
	if err != nil {
		return nil, err
	}
	defer db.mu.RUnlock()
	partitions := e.use(env.ID)
	defer releaseAll(partitions)
	var list []eval.Evaluation
	err = e.snapshot(ctx, func(q querier) error {
		for i := len(partitions) - 1; i >= 0; i-- {
			h := partitions[i]
			if h.spans == 0 || h.max < from {
				continue
			}
			if err := q.in(ctx, h.partition); err != nil {
				return err
			}
			k := rowKeyOf(h.code, trace, id)
			var seqs []int64
			err := q.each(ctx, placeSQL, []any{k.env, k.hi, k.lo, k.id, from}, func(rows *sql.Rows) error {
				var seq int64
				err := rows.Scan(&seq)
				seqs = append(seqs, seq)
				return err
			})
			if err != nil {
				return err
			}
			if len(seqs) > 0 {
				return q.verdicts(ctx, seqs, func(_ int64, v eval.Evaluation) { list = append(list, v) })
			}
		}
		return nil
	})
	if invalidated(err) {
		e.suspect.Store(true)
	}
	return list, classify(db.cfg.Dir, "read evaluations", err)
}

// verdicts calls f for the evaluations of rows, in the order they were made.
func (q querier) verdicts(ctx context.Context, seqs []int64, f func(seq int64, v eval.Evaluation)) error {
	if len(seqs) == 0 {
		return nil
	}
	return q.each(ctx, verdictsSQL+"("+numbers(seqs)+") ORDER BY e.seq, e.ended, e.rowid", nil, func(rows *sql.Rows) error {
		seq, v, err := scanVerdict(rows)
		if err == nil {
			f(seq, v)
		}
		return err
	})
}

// scanVerdict reads a row of verdicts.sql.
func scanVerdict(rows *sql.Rows) (seq int64, v eval.Evaluation, err error) {
	var names, values texts
	var kinds string
	err = rows.Scan(&seq, &v.SetupID, &v.Evaluator, &v.Status, &v.Reason, &v.Backend, &v.Version, &v.Truncated, &v.Usage.Unpriced,
		&v.Usage.PromptTokens, &v.Usage.CompletionTokens, &v.Usage.Cost, &v.Attempts, &v.Duration, &v.Time, &v.Due,
		&names, &kinds, &values)
	for i, name := range names {
		v.Outputs = append(v.Outputs, eval.Output{Name: name, Value: parseOutput(kinds, i, values.at(i))})
	}
	return seq, v, err
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
