// SPDX-License-Identifier: Apache-2.0

package evaluationconnector

import (
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

// isLabel reports whether a text output, <slug>.<output>, has few possible
// values: the configuration says so, or it is an enum of a custom evaluator,
// whose definition comes along with what it judges.
func (w *writer) isLabel(output string) bool {
	if w.recorder.labels[output] {
		return true
	}
	if !w.read {
		w.read = true
		_, customs, err := monitor.CarriedSetups(w.from.Resource().Attributes())
		if err == nil { // else it is unknown what they are
			w.enums = enums(customs)
		}
	}
	return w.enums[output]
}

func enums(customs []eval.CustomEvaluator) map[string]bool {
	found := map[string]bool{}
	for _, c := range customs {
		for _, f := range c.Output {
			if f.Type == eval.CustomEnum {
				found[c.Slug+"."+f.Name] = true
			}
		}
	}
	return found
}
