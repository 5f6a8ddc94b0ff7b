// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

func embedder(s *modeltest.Server, settings model.EmbedderSettings) *model.Embedder {
	settings.Server = model.Server{URL: s.URL(), Client: s.Client()}
	settings.Model = "embedder"
	return model.NewEmbedder(settings, newGuard())
}

func TestVectorsAreNormalisedAndInOrder(t *testing.T) {
	t.Parallel()
	s := modeltest.NewServer(t, modeltest.Vectors([]float64{3, 4}, []float64{0, 0}, []float64{1e200, 1e200}))
	e := embedder(s, model.EmbedderSettings{Batch: 10, Dimensions: 2, Prices: model.Prices{"embedder": {Prompt: 1}}})
	got, err := e.Embed(t.Context(), []string{"a", "", "c"})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{0.6, 0.8}, got.Vectors[0], 1e-12)
	require.Equal(t, []float64{0, 0}, got.Vectors[1])
	require.InDeltaSlice(t, []float64{math.Sqrt2 / 2, math.Sqrt2 / 2}, got.Vectors[2], 1e-12)
	require.Equal(t, eval.Usage{PromptTokens: 100, Cost: 0.0001}, got.Usage)
	require.JSONEq(t, `{"model":"embedder","input":["a"," ","c"],"encoding_format":"float","dimensions":2}`,
		string(s.Requests()[0].Body))
}

func TestTextsGoInBatches(t *testing.T) {
	t.Parallel()
	s := modeltest.NewServer(t, modeltest.Vectors([]float64{1, 0}, []float64{0, 1}), modeltest.Vectors([]float64{2, 0}))
	e := embedder(s, model.EmbedderSettings{Batch: 2, Cache: model.CacheLimits{Bytes: 1 << 20, Age: time.Hour}})
	texts := []string{"a", "b", "c"}
	got, err := e.Embed(t.Context(), texts)
	require.NoError(t, err)
	require.Equal(t, [][]float64{{1, 0}, {0, 1}, {1, 0}}, got.Vectors)
	require.Equal(t, int64(200), got.Usage.PromptTokens)
	require.Len(t, s.Requests(), 2)
	got, err = e.Embed(t.Context(), texts)
	require.NoError(t, err)
	require.Zero(t, got.Usage)
	require.Len(t, s.Requests(), 2)

	got, err = e.Embed(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, got.Vectors)
}

func TestWrongVectorsAreRefused(t *testing.T) {
	t.Parallel()
	raw := func(data string) modeltest.Step {
		return modeltest.Raw(http.StatusOK, "application/json", `{"object":"list","model":"m","data":`+data+`}`)
	}
	for name, step := range map[string]modeltest.Step{
		"too few":         modeltest.Vectors([]float64{1}),
		"dimensions":      modeltest.Vectors([]float64{1}, []float64{1, 2}),
		"empty":           modeltest.Vectors([]float64{}, []float64{}),
		"same index":      raw(`[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]`),
		"index":           raw(`[{"index":0,"embedding":[1]},{"index":7,"embedding":[1]}]`),
		"index too small": raw(`[{"index":0,"embedding":[1]},{"index":-1,"embedding":[1]}]`),
		"not numbers":     raw(`[{"index":0,"embedding":["a"]},{"index":1,"embedding":[null]}]`),
		"too large":       raw(`[{"index":0,"embedding":[1e999]},{"index":1,"embedding":[1]}]`),
		"garbage":         modeltest.Garbage(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := embedder(modeltest.NewServer(t, step), model.EmbedderSettings{Batch: 10})
			got, err := e.Embed(t.Context(), []string{"a", "b"})
			require.True(t, fault.Is(err, fault.Unusable), err)
			require.Nil(t, got.Vectors)
		})
	}
}
