// SPDX-License-Identifier: Apache-2.0

package evaluationconnector

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/genai"
)

// texts are the attributes that tell the texts of an opinion.
var texts = map[string]string{
	eval.OpinionLabel: genai.EvaluationLabel, eval.OpinionKind: genai.EvaluatorType,
	eval.OpinionMetadata: genai.EvaluationMetadata, eval.OpinionExplanation: genai.EvaluationExplanation,
}

// opinion tells a verdict that came with its span as the one it is: who reads the
// record has the same opinion.
func (w *writer) opinion(s ptrace.Span, o *eval.Opinion) {
	a := w.record(s, o.Time)
	put(a, genai.EvaluationName, o.Name)
	for _, output := range o.Outputs {
		switch value := output.Value.(type) {
		case float64:
			a.PutDouble(genai.EvaluationScore, value)
		case string:
			free := output.Name == eval.OpinionExplanation || output.Name == eval.OpinionMetadata
			if key := texts[output.Name]; key != "" && (!free || w.cfg.IncludeExplanations) {
				put(a, key, value)
			}
		}
	}
	put(a, genai.EvaluationTarget, o.Of)
	put(a, genai.EvaluationError, o.Error)
	put(a, genai.EvaluatorID, o.By)
	put(a, genai.EvaluatorVersion, o.Version)
	put(a, genai.EvaluatorModel, o.Model)
}
