// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

func TestScorerLeavesOutWhatWasWritten(t *testing.T) {
	t.Parallel()
	models, s := modeltest.Models(t, modeltest.Echo(
		modeltest.Token{Text: "né"}, modeltest.Token{Text: " ici", LogProb: -2}, modeltest.Token{Text: ".", LogProb: -0.5}))
	got, err := models.Scorer.LogProbs(t.Context(), "né ici.")
	require.NoError(t, err)
	require.Equal(t, []eval.Token{{Text: " ici", LogProb: -2}, {Text: ".", LogProb: -0.5}}, got.Tokens)
	require.JSONEq(t, `{"model":"scorer","prompt":"né ici.","echo":true,"logprobs":1,"max_tokens":1,"temperature":0,"seed":1}`,
		string(s.Requests()[0].Body))

	got, err = models.Scorer.LogProbs(t.Context(), "")
	require.NoError(t, err)
	require.Empty(t, got.Tokens)
	require.Len(t, s.Requests(), 1)
}

func TestScorerReadsServersWithoutOffsets(t *testing.T) {
	t.Parallel()
	answer := func(logprobs string) modeltest.Step {
		return modeltest.Raw(http.StatusOK, "application/json",
			`{"model":"m","choices":[{"text":"","index":0,"logprobs":`+logprobs+`}],"usage":{"prompt_tokens":2,"completion_tokens":1}}`)
	}
	models, _ := modeltest.Models(t, answer(`{"tokens":["a","b","c"],"token_logprobs":[null,-1,-9]}`))
	got, err := models.Scorer.LogProbs(t.Context(), "ab")
	require.NoError(t, err)
	require.Equal(t, []eval.Token{{Text: "b", LogProb: -1}}, got.Tokens)

	for name, logprobs := range map[string]string{
		"null":     `null`,
		"lengths":  `{"tokens":["a","b"],"token_logprobs":[null]}`,
		"missing":  `{"tokens":["a","b","c"],"token_logprobs":[null,null,-1]}`,
		"positive": `{"tokens":["a","b","c"],"token_logprobs":[null,5,-1]}`,
		"no text":  `{"tokens":["c"],"token_logprobs":[-1]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			models, _ := modeltest.Models(t, answer(logprobs))
			_, err := models.Scorer.LogProbs(t.Context(), "ab")
			require.True(t, fault.Is(err, fault.Unusable), err)
		})
	}
	none, _ := modeltest.Models(t, modeltest.Raw(http.StatusOK, "application/json", `{"choices":[]}`))
	_, err = none.Scorer.LogProbs(t.Context(), "ab")
	require.True(t, fault.Is(err, fault.Unusable))
}
