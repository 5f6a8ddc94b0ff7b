// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"math"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// evaluated is a row of evaluations with the row of judgements that it refers to.
type evaluated struct {
	eval.Evaluation
	seq       int64
	judgement int32
	attempts  int32
	score     float64 // NaN where there is none
	grounds   string

	names, values Texts
	kinds         string
}

// evaluationColumns are the columns of evaluations: what differs from one to the
// next.
var evaluationColumns = columns[evaluated]{
	intColumn("seq", func(x *evaluated) *int64 { return &x.seq }),
	smallColumn("judgement", func(x *evaluated) *int32 { return &x.judgement }),
	intColumn("duration", func(x *evaluated) *int64 { return &x.Duration }),
	intColumn("ended", func(x *evaluated) *int64 { return &x.Time }),
	textsColumn("vals", func(t *table, x *evaluated) {
		for _, o := range x.Outputs {
			t.add(o.Text())
		}
	}, func(x *evaluated) *Texts { return &x.values }),
	intColumn("prompt_tokens", func(x *evaluated) *int64 { return &x.Usage.PromptTokens }),
	intColumn("completion_tokens", func(x *evaluated) *int64 { return &x.Usage.CompletionTokens }),
	realColumn("cost", func(x *evaluated) *float64 { return &x.Usage.Cost }),
	smallColumn("attempts", func(x *evaluated) *int32 { return &x.attempts }),
	intColumn("due", func(x *evaluated) *int64 { return &x.Due }),
	realColumn("probability", func(x *evaluated) *float64 { return &x.Probability }),
	intColumn("revision", func(x *evaluated) *int64 { return &x.Revision }),
	realColumn("score", func(x *evaluated) *float64 { return &x.score }),
	textColumn("grounds", func(x *evaluated) *string { return &x.grounds }),
}

// judgementColumns are the columns of judgements but for the id, which goes
// first: what many evaluations have in common.
var judgementColumns = columns[evaluated]{
	textColumn("setup", func(x *evaluated) *string { return &x.SetupID }),
	textColumn("evaluator", func(x *evaluated) *string { return &x.Evaluator }),
	textColumn("status", func(x *evaluated) *string { return (*string)(&x.Status) }),
	textColumn("reason", func(x *evaluated) *string { return &x.Reason }),
	textColumn("backend", func(x *evaluated) *string { return (*string)(&x.Backend) }),
	boolColumn("truncated", func(x *evaluated) *bool { return &x.Truncated }),
	namesColumn(),
	textColumn("kinds", func(x *evaluated) *string { return &x.kinds }),
	textColumn("version", func(x *evaluated) *string { return &x.Version }),
	boolColumn("unpriced", func(x *evaluated) *bool { return &x.Usage.Unpriced }),
	textColumn("model", func(x *evaluated) *string { return &x.Model }),
	boolColumn("cached", func(x *evaluated) *bool { return &x.Cached }),
	intColumn("generation", func(x *evaluated) *int64 { return &x.Generation }),
	textColumn("source", func(x *evaluated) *string { return (*string)(&x.Source) }),
}

// namesColumn holds the names of outputs.
func namesColumn() column[evaluated] {
	c := textsColumn("names", func(t *table, x *evaluated) {
		for _, o := range x.Outputs {
			t.add(o.Name)
		}
	}, func(x *evaluated) *Texts { return &x.names })
	c.tell = func(b []byte, x *evaluated) []byte {
		for _, o := range x.Outputs {
			b = appendText(b, o.Name)
		}
		return b
	}
	return c
}

// of takes an evaluation to be written.
func (x *evaluated) of(seq int64, v *eval.Evaluation) {
	x.Evaluation, x.seq = *v, seq
	x.attempts = int32(min(v.Attempts, math.MaxInt32))
	x.score, x.grounds = v.Grounds.Number(), v.Grounds.Text()
	kinds := make([]byte, len(v.Outputs))
	for i := range v.Outputs {
		kinds[i] = kindOf(v.Outputs[i].Value)
	}
	x.kinds = string(kinds)
}

// by returns what was read of an evaluation, whose judgement is j.
func (x *evaluated) by(j *evaluated) eval.Evaluation {
	y := *j
	y.values, y.attempts, y.score, y.grounds = x.values, x.attempts, x.score, x.grounds
	y.Duration, y.Time, y.Due, y.Probability, y.Revision = x.Duration, x.Time, x.Due, x.Probability, x.Revision
	y.Usage.PromptTokens, y.Usage.CompletionTokens, y.Usage.Cost = x.Usage.PromptTokens, x.Usage.CompletionTokens, x.Usage.Cost
	return y.evaluation()
}

// bytes returns how much text a judgement has, and what it takes to hold it.
func (x *evaluated) bytes() int {
	return len(x.SetupID) + len(x.Evaluator) + len(x.Reason) + len(x.Version) + len(x.Model) + len(x.kinds) + x.names.bytes() + rowBytes
}

// evaluation returns what was read.
func (x *evaluated) evaluation() eval.Evaluation {
	v := x.Evaluation
	v.Attempts = int(x.attempts)
	v.Grounds.SetNumber(x.score)
	v.Grounds.SetText(x.grounds)
	for i, name := range x.names {
		v.Outputs = append(v.Outputs, eval.Output{Name: name, Value: ParseOutput(x.kinds, i, x.values.At(i))})
	}
	return v
}
