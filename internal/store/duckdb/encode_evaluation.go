// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"math"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// evaluation adds the rows of one evaluation of the span at seq.
func (e *encoder) evaluation(seq int64, x *eval.Evaluation) {
	t := e.evaluations
	t.int(seq)
	t.small(e.judgement(x))
	t.int(x.Duration)
	t.int(x.Time)
	t.begin()
	for _, o := range x.Outputs {
		t.add(o.Text())
	}
	t.done()
	t.int(x.Usage.PromptTokens)
	t.int(x.Usage.CompletionTokens)
	t.real(x.Usage.Cost)
	t.small(int32(min(x.Attempts, math.MaxInt32)))
	t.int(x.Due)
	t.end()
}

func (e *encoder) judgement(x *eval.Evaluation) int32 {
	common := [...]string{x.SetupID, x.Evaluator, string(x.Status), x.Reason, string(x.Backend)}
	truncated, unpriced := bit(x.Truncated), bit(x.Usage.Unpriced)
	e.scratch = append(e.scratch[:0], byte(truncated), byte(unpriced))
	for _, text := range common {
		e.scratch = appendText(e.scratch, text)
	}
	e.scratch = appendText(e.scratch, x.Version)
	for _, o := range x.Outputs {
		e.scratch = append(appendText(e.scratch, o.Name), kindOf(o.Value))
	}
	id, fresh := e.dictionaries.judgements.id(e.scratch)
	if fresh {
		t := e.judgements
		t.small(id)
		for _, text := range common {
			t.text(text)
		}
		t.small(truncated)
		kinds := make([]byte, 0, len(x.Outputs))
		t.begin()
		for _, o := range x.Outputs {
			t.add(o.Name)
			kinds = append(kinds, kindOf(o.Value))
		}
		t.done()
		t.text(string(kinds))
		t.text(x.Version)
		t.small(unpriced)
		t.end()
	}
	return id
}

func bit(set bool) int32 {
	if set {
		return 1
	}
	return 0
}

// kindOf gives the letter of an output's type; what is none of the four is
// kept as its text.
func kindOf(value any) byte {
	switch value.(type) {
	case bool:
		return 'b'
	case int64:
		return 'i'
	case float64:
		return 'f'
	}
	return 's'
}
