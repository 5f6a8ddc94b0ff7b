// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

func TestAnswererShowsItsTokens(t *testing.T) {
	t.Parallel()
	s := modeltest.NewServer(t, modeltest.Answer(modeltest.Token{Text: "Par", LogProb: -0.25}, modeltest.Token{Text: "is", LogProb: 0}))
	a := model.NewAnswerer(model.JudgeSettings{
		Server: model.Server{URL: s.URL()}, Model: "judge-1", MaxTokens: 64, Prices: prices,
		Cache: model.CacheLimits{Bytes: 1 << 20, Age: time.Hour},
	}, newGuard())
	got, err := a.Answer(t.Context(), "Capital of France?\xff")
	require.NoError(t, err)
	require.Equal(t, "Paris", got.Text)
	require.Equal(t, []eval.Token{{Text: "Par", LogProb: -0.25}, {Text: "is"}}, got.Tokens)
	require.InDelta(t, 0.0004, got.Usage.Cost, 1e-12)
	chat := s.Requests()[0].Chat()
	require.True(t, chat.LogProbs)
	require.Empty(t, chat.ResponseFormat.Type)
	require.Equal(t, []modeltest.Message{{Role: "user", Content: "Capital of France?\uFFFD"}}, chat.Messages)

	again, err := a.Answer(t.Context(), "Capital of France?\xff")
	require.NoError(t, err)
	require.Equal(t, got.Tokens, again.Tokens)
	require.Zero(t, again.Usage)
}

func TestAnswersWithoutLogProbsAreRefused(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]modeltest.Step{
		"none":     modeltest.Content("Paris"),
		"positive": modeltest.Answer(modeltest.Token{Text: "x", LogProb: 1}),
		"refusal":  modeltest.Refusal("no"),
		"outage":   modeltest.Garbage(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			models, _ := modeltest.Models(t, step)
			got, err := models.Answerer.Answer(t.Context(), "x")
			require.True(t, fault.Is(err, fault.Unusable), err)
			require.Empty(t, got.Text)
		})
	}
}
