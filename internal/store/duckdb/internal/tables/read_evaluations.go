// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"context"
	"database/sql"
	_ "embed"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
)

// The statements of evaluations, each explained in its file.
var (
	//go:embed sql/verdicts.sql
	verdictsSQL string
	//go:embed sql/predecessors.sql
	predecessorsSQL string
)

// ReadEvaluations calls f for the evaluations that count of the spans at seqs, in
// the order they were made.
func ReadEvaluations(ctx context.Context, conn *sql.Conn, seqs []int64, f func(seq int64, v eval.Evaluation)) error {
	return readEvaluationsBy(ctx, conn, verdictsSQL, seqs, f)
}

// ReadPredecessors calls f for the evaluations whose place others of the spans at
// seqs took, in the order they were made.
func ReadPredecessors(ctx context.Context, conn *sql.Conn, seqs []int64, f func(seq int64, v eval.Evaluation)) error {
	return readEvaluationsBy(ctx, conn, predecessorsSQL, seqs, f)
}

// readEvaluationsBy calls f for the evaluations that the statement selects.
func readEvaluationsBy(ctx context.Context, conn *sql.Conn, statement string, seqs []int64, f func(seq int64, v eval.Evaluation)) error {
	if len(seqs) == 0 {
		return nil
	}
	return Each(ctx, conn, "SELECT "+evaluationNames+" "+statement+sqltext.Among("e.seq", seqs)+" ORDER BY e.seq, e.ended, e.rowid", nil, func(rows *sql.Rows) error {
		seq, v, err := scanEvaluation(rows)
		if err == nil {
			f(seq, v)
		}
		return err
	})
}

// evaluationNames are what scanEvaluation reads of evaluations e and judgements j.
var evaluationNames = evaluationColumns.names("e.") + ", " + judgementColumns.names("j.")

// scanEvaluation reads a row of evaluationNames.
func scanEvaluation(rows *sql.Rows) (seq int64, v eval.Evaluation, err error) {
	var x evaluated
	targets := make([]any, 0, len(evaluationColumns)+len(judgementColumns))
	err = rows.Scan(judgementColumns.into(evaluationColumns.into(targets, &x), &x)...)
	return x.seq, x.evaluation(), err
}
