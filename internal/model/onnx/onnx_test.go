// SPDX-License-Identifier: Apache-2.0

package onnx_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
	"github.com/touchstone-otel/touchstone/internal/model/onnx"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openClassifier(t *testing.T, a model.Activation, s onnx.Settings) *onnx.Classifier {
	t.Helper()
	s.Path = modeltest.ONNX{}.Write(t)
	c, err := onnx.OpenClassifier(t.Context(), s, a)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

func scores(labels []eval.Label) map[string]float64 {
	m := map[string]float64{}
	for _, l := range labels {
		m[l.Name] = l.Score
	}
	return m
}

func TestClassifierComputesInProcess(t *testing.T) {
	t.Parallel()
	soft := openClassifier(t, model.Softmax, onnx.Settings{})
	labels, err := soft.Labels(t.Context(), "Good good unknown day")
	require.NoError(t, err)
	sum := math.Exp(4) + math.Exp(1) + math.Exp(-4)
	require.InDelta(t, math.Exp(4)/sum, scores(labels)["praise"], 1e-5)
	require.InDelta(t, math.Exp(1)/sum, scores(labels)["smalltalk"], 1e-5)

	sig := openClassifier(t, model.Sigmoid, onnx.Settings{File: "model.onnx"})
	labels, err = sig.Labels(t.Context(), "bad day")
	require.NoError(t, err)
	require.InDelta(t, 1/(1+math.Exp(2)), scores(labels)["praise"], 1e-5)
	require.InDelta(t, 1/(1+math.Exp(-1)), scores(labels)["smalltalk"], 1e-5)
	require.InDelta(t, 1/(1+math.Exp(-2)), scores(labels)["blame"], 1e-5)
}

func TestTwoTextsAreReadTogether(t *testing.T) {
	t.Parallel()
	c, err := onnx.OpenClassifier(t.Context(), onnx.Settings{Path: modeltest.ONNX{Pairs: true}.Write(t), MaxTokens: 16}, model.Softmax)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	require.True(t, c.Pairs())
	sum := math.Exp(2) + math.Exp(1) + math.Exp(-2)
	for _, pair := range [][2]string{
		{"good", "day"},
		{"good[SEP]", "[SEP]day"}, // what separates texts is nothing in them
		{"good" + strings.Repeat(" other", 50) + " bad", "day" + strings.Repeat(" other", 50) + " bad"}, // what is too long is cut off
	} {
		labels, err := c.Labels(t.Context(), pair[0], pair[1])
		require.NoError(t, err)
		require.InDelta(t, math.Exp(2)/sum, scores(labels)["praise"], 1e-5, pair)
		require.InDelta(t, math.Exp(1)/sum, scores(labels)["smalltalk"], 1e-5, pair)
	}
	one := openClassifier(t, model.Softmax, onnx.Settings{})
	require.False(t, one.Pairs())
	_, err = one.Labels(t.Context(), "good", "day")
	require.ErrorContains(t, err, "no separator")
}

func TestClassifierStandsBehindItsGuard(t *testing.T) {
	t.Parallel()
	c := openClassifier(t, model.Softmax, onnx.Settings{})
	guarded := model.NewLocalClassifier(
		model.ClassifierSettings{Name: "tiny", Activation: model.Softmax, Rename: map[string]string{"blame": "toxic"}},
		model.NewGuard("tiny", model.Limits{Concurrency: 2, MaxWait: time.Minute}, nil, nil), c.Labels)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, text := range []string{"bad", "bad bad bad bad bad bad bad bad bad bad bad bad bad bad bad bad bad bad", "", "\x00\xff bad"} {
				got, err := guarded.Classify(t.Context(), text)
				if text == "" {
					continue
				}
				require.NoError(t, err)
				require.Equal(t, "toxic", got.Labels[0].Name)
				require.Equal(t, "tiny", got.Model)
			}
		})
	}
	wg.Wait()

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := guarded.Classify(gone, "bad")
	require.True(t, fault.Is(err, fault.Unavailable), err)
}

func TestClosedModelAnswersNoMore(t *testing.T) {
	t.Parallel()
	c := openClassifier(t, model.Softmax, onnx.Settings{})
	require.NoError(t, c.Close())
	_, err := c.Labels(t.Context(), "bad")
	require.ErrorContains(t, err, "closed")
}

func TestLongTextsAreCut(t *testing.T) {
	t.Parallel()
	c := openClassifier(t, model.Sigmoid, onnx.Settings{MaxTokens: 20})
	// Only the beginning is read: what follows would tip it over.
	text := strings.Repeat("day ", 30) + strings.Repeat("bad ", 100_000)
	labels, err := c.Labels(t.Context(), text)
	require.NoError(t, err)
	require.InDelta(t, 0.5, scores(labels)["blame"], 1e-6)
	require.Greater(t, scores(labels)["smalltalk"], 0.99)

	// The model's own limit holds too.
	c = openClassifier(t, model.Sigmoid, onnx.Settings{MaxTokens: 4096})
	labels, err = c.Labels(t.Context(), strings.Repeat("day ", 70)+strings.Repeat("bad ", 1000))
	require.NoError(t, err)
	require.InDelta(t, 0.5, scores(labels)["blame"], 1e-6)
	_, err = c.Labels(t.Context(), strings.Repeat("ä", 1<<20))
	require.NoError(t, err)
}

func TestEmbedderAveragesTokens(t *testing.T) {
	t.Parallel()
	for _, perToken := range []bool{true, false} {
		dir := modeltest.ONNX{PerToken: perToken}.Write(t)
		e, err := onnx.OpenEmbedder(t.Context(), onnx.Settings{Path: dir})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, e.Close()) })
		guarded := model.NewLocalEmbedder(model.EmbedderSettings{Model: "tiny", Batch: 8},
			model.NewGuard("tiny", model.Limits{}, nil, nil), e.Vectors)
		got, err := guarded.Embed(t.Context(), []string{"good day", "bad", "unknown words"})
		require.NoError(t, err)
		require.InDeltaSlice(t, []float64{2. / 3, 1. / 3, -2. / 3}, got.Vectors[0], 1e-6)
		require.InDeltaSlice(t, []float64{-math.Sqrt2 / 2, 0, math.Sqrt2 / 2}, got.Vectors[1], 1e-6)
		require.Equal(t, []float64{0, 0, 0}, got.Vectors[2])
		require.Zero(t, got.Usage)
	}
}

func TestUnfitFilesAreRefused(t *testing.T) {
	t.Parallel()
	spoiled := func(name, content string) string {
		dir := modeltest.ONNX{}.Write(t)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
		return dir
	}
	for name, dir := range map[string]string{
		"nothing there":  filepath.Join(t.TempDir(), "absent"),
		"empty":          t.TempDir(),
		"model":          spoiled("model.onnx", "no model"),
		"tokenizer":      spoiled("tokenizer.json", "{"),
		"config":         spoiled("config.json", `{"id2label":7}`),
		"two models":     spoiled("other.onnx", "x"),
		"attention mask": modeltest.ONNX{Inputs: []string{"input_ids"}}.Write(t),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := onnx.OpenClassifier(t.Context(), onnx.Settings{Path: dir}, model.Softmax)
			require.Error(t, err)
			require.ErrorContains(t, err, dir)
			_, err = onnx.OpenEmbedder(t.Context(), onnx.Settings{Path: dir})
			if name != "config" {
				require.Error(t, err)
			}
		})
	}
	config := map[string]any{"id2label": map[string]string{"0": "only"}}
	_, err := onnx.OpenClassifier(t.Context(),
		onnx.Settings{Path: modeltest.ONNX{Config: config}.Write(t)}, model.Softmax)
	require.ErrorContains(t, err, "id2label")
}
