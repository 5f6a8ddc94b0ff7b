// SPDX-License-Identifier: Apache-2.0

package duckdb

import "github.com/touchstone-otel/touchstone/internal/eval"

// evaluation adds the rows of one evaluation of the span at seq.
func (e *encoder) evaluation(seq int64, v *eval.Evaluation) {
	x := &e.evaluated
	x.of(seq, v)
	x.judgement = e.judgement(x)
	evaluationColumns.append(e.evaluations, x)
}

func (e *encoder) judgement(x *evaluated) int32 {
	e.scratch = judgementColumns.tell(e.scratch[:0], x)
	id, fresh := e.dictionaries.judgements.id(e.scratch)
	if fresh {
		e.judgements.small(id)
		judgementColumns.append(e.judgements, x)
	}
	return id
}
