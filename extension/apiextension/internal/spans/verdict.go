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
	Evaluator string       `json:"evaluator" doc:"The slug."`
	SetupID   string       `json:"setup_id" doc:"The setup; empty where the application judged with its SDK."`
	Status    eval.Status  `json:"status" doc:"How far it got." enum:"done,uncertain,deferred,skipped,failed"`
	Reason    string       `json:"reason" doc:"Why, as in the full record of the evaluation; at most 500 characters."`
	Backend   eval.Backend `json:"backend" doc:"What computed it or, while it is deferred, is to compute it; else empty." enum:",deterministic,embedded,judge,embedding,classifier"`
	Score     *float64     `json:"score,omitempty" doc:"The number that the threshold is compared with; missing where no number decides."`
	Outputs   eval.Result  `json:"outputs"`
	Good      *bool        `json:"good" doc:"Whether it speaks for the span or against it; null where there is no verdict, and where its outputs say neither." schema:"nullable"`
	Cut       bool         `json:"cut,omitempty" doc:"Whether the reason or a text among the outputs is only its first 500 characters."`
	Duration  int64        `json:"duration_ns,string,omitempty" doc:"How long the last try took, in nanoseconds; missing where nothing was tried or the source does not tell." schema:"types=string" pattern:"^[0-9]+$"`
	Cost      float64      `json:"cost_usd,omitempty" doc:"What models took in all tries together, in US dollars; missing where they took nothing." schema:"exclusiveMinimum=0"`
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
