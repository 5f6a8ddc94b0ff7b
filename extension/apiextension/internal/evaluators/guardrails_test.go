// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

func TestWhatPassesAGuard(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"is_safe":true}`:                          true,
		`{"is_safe":false}`:                         false,
		`{"is_relevant":false}`:                     false,
		`{"is_faithful":false}`:                     false,
		`{"is_valid_json":true}`:                    true,
		`{"is_valid_sql":false}`:                    false,
		`{"is_valid":false,"perplexity_score":9e9}`: false,
		`{"has_pii":true,"reason":"a name"}`:        false,
		`{"has_pii":false}`:                         true,
		`{"has_secret":true}`:                       false,
		`{"has_injection":true}`:                    false,
		`{"success":false,"score":1}`:               false,
		`{"success":true,"score":0}`:                true,
		`{"pass":false,"reason":"pass"}`:            false,
		`{"tool_selection":"correct"}`:              true,
		`{"tool_selection":"incorrect"}`:            false,
		`{"correct_args":false}`:                    false,
		`{"success":true,"pass":false}`:             false,
		`{"score":0,"tone":"anger"}`:                true,
		`{"uncertainty":1e9}`:                       true,
		`{"is_safe":"false","has_pii":1}`:           true,
		`{}`:                                        true,
	} {
		var values map[string]any
		require.NoError(t, json.Unmarshal([]byte(text), &values))
		var result eval.Result
		for name, value := range values {
			result.Outputs = append(result.Outputs, eval.Output{Name: name, Value: value})
		}
		require.Equal(t, want, passes(result), text)
	}
}

func TestPromptPerplexityIsValidUpToABound(t *testing.T) {
	t.Parallel()
	for score, valid := range map[float64]bool{1: true, maxPromptPerplexity: true, maxPromptPerplexity * 2: false} {
		outputs := []eval.Output{{Name: "perplexity_score", Value: score}}
		got := forGuards("prompt-perplexity", eval.Result{Outputs: outputs})
		require.Equal(t, eval.Output{Name: "is_valid", Value: valid}, got.Outputs[1])
		require.Equal(t, valid, passes(got))
		require.Len(t, forGuards("perplexity", eval.Result{Outputs: outputs}).Outputs, 1)
	}
}
