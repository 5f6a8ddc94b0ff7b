// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"cmp"
	"net/http"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Guarded is a verdict and what it means to a guard.
type Guarded struct {
	Result      eval.Result         `json:"result"`
	Pass        bool                `json:"pass" doc:"Whether nothing speaks against the text."`
	OnUncertain monitor.OnUncertain `json:"on_uncertain,omitempty" doc:"What was done with a verdict that is uncertain; missing where it is certain." enum:"keep,drop_content"`
}

// guard runs one evaluator and says whether the text may pass.
func (a *ExecutionsAPI) guard(r *http.Request, env tenant.Environment) (rest.Response, error) {
	e, judged, want, err := a.judge(r, env, withSynonyms)
	if err != nil {
		return rest.Response{}, err
	}
	answer := Guarded{Result: forGuards(e.Slug, judged)}
	answer.Pass = passes(answer.Result)
	if judged.Uncertain {
		answer.OnUncertain = cmp.Or(want.OnUncertain, monitor.UncertainKeep)
		answer.Pass = answer.OnUncertain == monitor.UncertainKeep
	}
	return rest.Response{Status: http.StatusOK, Header: verdictHeader(answer.Result), Body: answer}, nil
}

// maxPromptPerplexity is up to which a guard takes a prompt for language that
// people write. It is far above what prose has, in English and in others, and
// below random characters.
const maxPromptPerplexity = 1e4

// forGuards returns a result with the outputs that guards look for and that the
// evaluator itself does not have.
func forGuards(slug string, result eval.Result) eval.Result {
	if slug != "prompt-perplexity" {
		return result
	}
	for _, o := range result.Outputs {
		if score, ok := o.Value.(float64); ok && o.Name == "perplexity_score" {
			valid := eval.Output{Name: "is_valid", Value: score <= maxPromptPerplexity}
			result.Outputs = append(result.Outputs[:len(result.Outputs):len(result.Outputs)], valid)
			break
		}
	}
	return result
}

// passes reports whether nothing in a result speaks against the text. Numbers
// and texts do not, whatever they are: where a result has nothing else, the
// caller's own condition on it decides.
func passes(result eval.Result) bool {
	for _, o := range result.Outputs {
		if ok, known := o.Passes(); known && !ok {
			return false
		}
	}
	return true
}
