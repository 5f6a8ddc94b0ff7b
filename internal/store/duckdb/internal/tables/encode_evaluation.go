// SPDX-License-Identifier: Apache-2.0

package tables

import "github.com/touchstone-otel/touchstone/internal/eval"

// Evaluation adds the rows of one evaluation of the span at seq.
func (e *Encoder) Evaluation(seq int64, v *eval.Evaluation) {
	x := &e.evaluated
	x.of(seq, v)
	x.judgement = e.judgement(x)
	evaluationColumns.append(e.tables.evaluations, x)
}

// judgement returns the id of the row of what the evaluation shares with others.
func (e *Encoder) judgement(x *evaluated) int32 {
	e.scratch = judgementColumns.tell(e.scratch[:0], x)
	id, fresh := e.dictionaries.judgements.id(e.scratch)
	if fresh {
		e.tables.judgements.small(id)
		judgementColumns.append(e.tables.judgements, x)
	}
	return id
}
