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
	//go:embed sql/judgements.sql
	judgementsSQL string
)

// ReadEvaluations calls f for the evaluations that count of the spans at seqs, in
// the order they were made.
func ReadEvaluations(ctx context.Context, conn *sql.Conn, r Recall, seqs []int64, f func(seq int64, v eval.Evaluation)) error {
	return readEvaluationsBy(ctx, conn, r, verdictsSQL, seqs, f)
}

// ReadPredecessors calls f for the evaluations whose place others of the spans at
// seqs took, in the order they were made.
func ReadPredecessors(ctx context.Context, conn *sql.Conn, r Recall, seqs []int64, f func(seq int64, v eval.Evaluation)) error {
	return readEvaluationsBy(ctx, conn, r, predecessorsSQL, seqs, f)
}

// readEvaluationsBy calls f for the evaluations that the statement selects.
func readEvaluationsBy(ctx context.Context, conn *sql.Conn, r Recall, statement string, seqs []int64, f func(seq int64, v eval.Evaluation)) error {
	if len(seqs) == 0 {
		return nil
	}
	var list []*evaluated
	var ids []int32
	err := Each(ctx, conn, "SELECT "+evaluationColumns.names("e.")+" "+statement+sqltext.Among("e.seq", seqs)+" ORDER BY e.seq, e.ended, e.rowid", nil, func(rows *sql.Rows) error {
		x := &evaluated{}
		err := rows.Scan(evaluationColumns.into(make([]any, 0, len(evaluationColumns)), x)...)
		list, ids = append(list, x), append(ids, x.judgement)
		return err
	})
	if err != nil {
		return err
	}
	judgementOf, err := judgements.read(ctx, conn, r, ids)
	if err != nil {
		return err
	}
	for _, x := range list {
		if j := judgementOf[x.judgement]; j != nil {
			f(x.seq, x.by(j))
		}
	}
	return nil
}

var judgements = smallTable[*evaluated]{
	table:     "judgements",
	statement: "SELECT id, " + judgementColumns.names("") + " " + judgementsSQL,
	scan: func(row *sql.Rows) (int32, *evaluated, error) {
		x := &evaluated{}
		err := row.Scan(judgementColumns.into([]any{&x.judgement}, x)...)
		return x.judgement, x, err
	},
	bytes: (*evaluated).bytes,
}
