// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

func TestMeterSumsUp(t *testing.T) {
	t.Parallel()
	models, s := modeltest.Models(t, yes(), modeltest.Answer(modeltest.Token{Text: "x"}), modeltest.Vectors([]float64{1}),
		modeltest.Echo(modeltest.Token{Text: "x"}), modeltest.Labels(modeltest.Label{Label: "a", Score: 1}))
	var meter eval.Meter
	metered := models.Metered(&meter)
	_, err := metered.Judge.Judge(t.Context(), question("a"))
	require.NoError(t, err)
	_, err = metered.Answerer.Answer(t.Context(), "x")
	require.NoError(t, err)
	_, err = metered.Embedder.Embed(t.Context(), []string{"x"})
	require.NoError(t, err)
	_, err = metered.Scorer.LogProbs(t.Context(), "x")
	require.NoError(t, err)
	_, err = metered.Classifier.Classify(t.Context(), "x")
	require.NoError(t, err)
	require.Equal(t, eval.Usage{PromptTokens: 301, CompletionTokens: 41, Unpriced: true}, meter.Usage())
	require.Len(t, s.Requests(), 5)
	require.Equal(t, eval.Models{}, eval.Models{}.Metered(&meter), "what is not configured stays so")
	require.True(t, fault.Is(eval.Verdict{JSON: []byte(`{"SECRET":`)}.Into(&struct{}{}), fault.Unusable))
}
