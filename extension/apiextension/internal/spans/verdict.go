// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"slices"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
)

// maxVerdictText bounds reasons and texts among outputs of verdicts, in
// characters. The record of the evaluation has them whole.
const maxVerdictText = 500

// verdictAnswer is what came of one evaluator, in short.
type verdictAnswer struct {
	Evaluator string       `json:"evaluator"`
	SetupID   string       `json:"setup_id"`
	Status    eval.Status  `json:"status"`
	Reason    string       `json:"reason"`
	Backend   eval.Backend `json:"backend"`
	Outputs   eval.Result  `json:"outputs"`
	// Good says whether the verdict speaks for the span or against it; nil where
	// there is none, and where it is of no such kind.
	Good *bool `json:"good"`
	Cut  bool  `json:"cut,omitempty"` // a text is only its beginning
}

// showVerdicts returns evaluations of one span in short, in their order.
func showVerdicts(list []eval.Evaluation) []verdictAnswer {
	shown := make([]verdictAnswer, len(list))
	for i := range list {
		shown[i] = showVerdict(&list[i])
	}
	return shown
}

func showVerdict(e *eval.Evaluation) verdictAnswer {
	shown := verdictAnswer{
		Evaluator: e.Evaluator, SetupID: e.SetupID, Status: e.Status, Backend: e.Backend, Good: e.Good(),
		Outputs: eval.Result{Outputs: slices.Clone(e.Outputs)},
	}
	shown.Reason, shown.Cut = rest.FirstCharacters(e.Reason, maxVerdictText)
	for i := range shown.Outputs.Outputs {
		o := &shown.Outputs.Outputs[i]
		if text, is := o.Value.(string); is {
			beginning, more := rest.FirstCharacters(text, maxVerdictText)
			o.Value, shown.Cut = beginning, shown.Cut || more
		}
	}
	return shown
}
