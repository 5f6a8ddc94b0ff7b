// SPDX-License-Identifier: Apache-2.0

package evaluationconnector

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval/opinion"
	"github.com/touchstone-otel/touchstone/internal/genai/verdicts"
)

// texts are the attributes that tell the texts of an opinion.
var texts = map[string]string{
	opinion.Label: verdicts.EvaluationLabel, opinion.Kind: verdicts.EvaluatorType,
	opinion.Metadata: verdicts.EvaluationMetadata, opinion.Explanation: verdicts.EvaluationExplanation,
}

// opinion tells a verdict that came with its span as the one it is: who reads the
// record has the same opinion.
func (w *writer) opinion(s ptrace.Span, o *opinion.Opinion) {
	a := w.record(s, o.Time)
	put(a, verdicts.EvaluationName, o.Name)
	for _, output := range o.Outputs {
		switch value := output.Value.(type) {
		case float64:
			a.PutDouble(verdicts.EvaluationScore, value)
		case string:
			free := output.Name == opinion.Explanation || output.Name == opinion.Metadata
			if key := texts[output.Name]; key != "" && (!free || w.recorder.cfg.IncludeExplanations) {
				put(a, key, value)
			}
		}
	}
	put(a, verdicts.EvaluationTarget, o.Of)
	put(a, verdicts.EvaluationError, o.Error)
	put(a, verdicts.EvaluatorID, o.By)
	put(a, verdicts.EvaluatorVersion, o.Version)
	put(a, verdicts.EvaluatorModel, o.Model)
}
