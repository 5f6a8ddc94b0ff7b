// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"github.com/touchstone-otel/touchstone/internal/eval"
)

// JudgeOf returns the judge that a custom evaluator asks: the one that is
// configured under the name of its provider, else the one for its slug, nil if
// there is neither. Provider may be nil: nothing is configured.
func JudgeOf(p eval.ModelProvider, c *eval.CustomEvaluator) eval.JudgeModel {
	if p == nil {
		return nil
	}
	if judge, found := p.Judge(c.Provider); found {
		return judge
	}
	return p.Models(c.Slug).Judge
}
