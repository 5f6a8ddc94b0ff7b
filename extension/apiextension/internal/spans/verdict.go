// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/textcut"
)

// maxVerdictText bounds reasons and texts among outputs of verdicts, in
// characters. The record of the evaluation has them whole.
const maxVerdictText = 500

// Verdict is what came of one evaluator, in short, as answers show it.
type Verdict struct {
	Evaluator string       `json:"evaluator"`
	SetupID   string       `json:"setup_id"`
	Status    eval.Status  `json:"status"`
	Reason    string       `json:"reason"`
	Backend   eval.Backend `json:"backend"`
	Score     *float64     `json:"score,omitempty"`
	Outputs   eval.Result  `json:"outputs"`
	// Good says whether the verdict speaks for the span or against it; nil where
	// there is none, and where it is of no such kind.
	Good *bool `json:"good"`
	Cut  bool  `json:"cut,omitempty"` // a text is only its beginning
	// Duration is how long the last try took, and Cost what models took in all tries
	// together; both are left out where there is nothing to tell.
	Duration int64   `json:"duration_ns,string,omitempty"`
	Cost     float64 `json:"cost_usd,omitempty"`
}

// verdictsOf returns evaluations of one span in short, in their order.
func verdictsOf(list []eval.Evaluation) []Verdict {
	shown := make([]Verdict, len(list))
	for i := range list {
		shown[i] = VerdictOf(&list[i])
	}
	return shown
}

// VerdictOf returns an evaluation in short.
func VerdictOf(e *eval.Evaluation) Verdict {
	shown := Verdict{
		Evaluator: e.Evaluator, SetupID: e.SetupID, Status: e.Status, Backend: e.Backend, Good: e.Good(), Score: e.Grounds.Score,
		Outputs: eval.Result{Outputs: slices.Clone(e.Outputs)}, Duration: e.Duration, Cost: e.Usage.Cost,
	}
	shown.Reason, shown.Cut = textcut.Characters(e.Why(), maxVerdictText)
	for i := range shown.Outputs.Outputs {
		o := &shown.Outputs.Outputs[i]
		if text, is := o.Value.(string); is {
			beginning, more := textcut.Characters(text, maxVerdictText)
			o.Value, shown.Cut = beginning, shown.Cut || more
		}
	}
	return shown
}
