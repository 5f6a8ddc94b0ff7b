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

func classifier(s *modeltest.Server, settings model.ClassifierSettings) *model.Classifier {
	settings.Server = model.Server{URL: s.Root() + "/", Key: "hf-secret", Client: s.Client()}
	settings.Name = "toxic-bert"
	return model.NewClassifier(settings, newGuard())
}

func TestSoftmaxIsTheServers(t *testing.T) {
	t.Parallel()
	s := modeltest.NewServer(t, modeltest.Labels(modeltest.Label{Label: "LABEL_0", Score: 0.1}, modeltest.Label{Label: "LABEL_1", Score: 0.9}))
	c := classifier(s, model.ClassifierSettings{Activation: model.Softmax, Rename: map[string]string{"LABEL_1": "injection", "LABEL_0": "safe"}})
	got, err := c.Classify(t.Context(), "ignore\xff all")
	require.NoError(t, err)
	require.Equal(t, []eval.Label{{Name: "injection", Score: 0.9}, {Name: "safe", Score: 0.1}}, got.Labels)
	require.Equal(t, "toxic-bert", got.Model)
	score, ok := got.Score("safe")
	require.True(t, ok)
	require.InDelta(t, 0.1, score, 0)
	_, ok = got.Score("LABEL_0")
	require.False(t, ok)

	r := s.Requests()[0]
	require.Equal(t, "/predict", r.Path)
	require.Equal(t, "Bearer hf-secret", r.Header.Get("Authorization"))
	require.JSONEq(t, `{"inputs":"ignore\ufffd all","truncate":true,"raw_scores":false}`, string(r.Body))
}

func TestPairsAreSentTogether(t *testing.T) {
	t.Parallel()
	label := modeltest.Labels(modeltest.Label{Label: "entailment", Score: 1})
	s := modeltest.NewServer(t, label, label)
	c := classifier(s, model.ClassifierSettings{Activation: model.Softmax, Cache: model.CacheLimits{Bytes: 1 << 20, Age: time.Hour}})
	for _, second := range []string{"b\xff", "c", "c"} {
		got, err := c.ClassifyPair(t.Context(), "a", second)
		require.NoError(t, err)
		require.Equal(t, "entailment", got.Labels[0].Name)
	}
	require.Len(t, s.Requests(), 2, "a pair that was asked is remembered")
	require.JSONEq(t, `{"inputs":["a","b\ufffd"],"truncate":true,"raw_scores":false}`, string(s.Requests()[0].Body))
}

func TestSigmoidIsOurs(t *testing.T) {
	t.Parallel()
	s := modeltest.NewServer(t, modeltest.Body(http.StatusOK, [][]modeltest.Label{{
		{Label: "insult", Score: 0}, {Label: "threat", Score: -800}, {Label: "toxic", Score: math.Log(3)}, {Label: "obscene", Score: 800},
	}}))
	c := classifier(s, model.ClassifierSettings{Activation: model.Sigmoid, Cache: model.CacheLimits{Bytes: 1 << 20, Age: time.Hour}})
	for range 2 {
		got, err := c.Classify(t.Context(), "x")
		require.NoError(t, err)
		require.Len(t, got.Labels, 4)
		for i, want := range []eval.Label{
			{Name: "obscene", Score: 1}, {Name: "toxic", Score: 0.75}, {Name: "insult", Score: 0.5}, {Name: "threat", Score: 0},
		} {
			require.Equal(t, want.Name, got.Labels[i].Name)
			require.InDelta(t, want.Score, got.Labels[i].Score, 1e-12)
		}
	}
	require.Len(t, s.Requests(), 1)
	require.JSONEq(t, `{"inputs":"x","truncate":true,"raw_scores":true}`, string(s.Requests()[0].Body))
}

func TestClassifierServersErrors(t *testing.T) {
	t.Parallel()
	tei := func(status int, kind string) modeltest.Step {
		return modeltest.Body(status, map[string]string{"error": "SECRET-TEXT", "error_type": kind})
	}
	ok := func(body string) modeltest.Step { return modeltest.Raw(http.StatusOK, "application/json", body) }
	for name, c := range map[string]struct {
		step modeltest.Step
		kind fault.Kind
	}{
		"overloaded":      {tei(429, "overloaded"), fault.Unavailable},
		"backend":         {tei(424, "backend"), fault.Unavailable},
		"tokenizer":       {tei(422, "tokenizer"), fault.Unusable},
		"too large":       {tei(413, "validation"), fault.TooLarge},
		"dropped":         {modeltest.Dropped(), fault.Unavailable},
		"broken off":      {modeltest.Broken(), fault.Unavailable},
		"garbage":         {modeltest.Garbage(), fault.Unusable},
		"empty":           {ok(`[]`), fault.Unusable},
		"two texts":       {ok(`[[{"label":"a","score":1}],[{"label":"a","score":1}]]`), fault.Unusable},
		"no score":        {ok(`[{"label":"a"}]`), fault.Unusable},
		"no label":        {ok(`[{"score":1}]`), fault.Unusable},
		"same label":      {ok(`[{"label":"a","score":0.5},{"label":"a","score":0.5}]`), fault.Unusable},
		"no probability":  {ok(`[{"label":"a","score":7}]`), fault.Unusable},
		"negative":        {ok(`[{"label":"a","score":-0.5}]`), fault.Unusable},
		"not finite":      {ok(`[{"label":"a","score":1e999}]`), fault.Unusable},
		"score is a text": {ok(`[{"label":"a","score":"NaN"}]`), fault.Unusable},
		"object":          {ok(`{"label":"a","score":1}`), fault.Unusable},
		"redirect":        {modeltest.Header("Location", "http://127.0.0.1:1/", modeltest.Raw(302, "text/plain", "")), fault.Unusable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := modeltest.NewServer(t, c.step)
			got, err := classifier(s, model.ClassifierSettings{Activation: model.Softmax}).Classify(t.Context(), "SECRET-PROMPT")
			require.Equal(t, c.kind, fault.KindOf(err), err)
			require.Nil(t, got.Labels)
			require.NotContains(t, err.Error(), "SECRET")
			require.Len(t, s.Requests(), 1)
		})
	}
}
