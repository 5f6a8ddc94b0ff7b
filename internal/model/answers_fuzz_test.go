// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/model"
)

// secret is in the seeds where a careless error would quote the answer. The space tells
// it from the codes of errors, which are kept.
const secret = "A SECRET"

// FuzzAnswers has servers of models answer with any status and body. The caller gets
// what can be computed with, or one sentence that quotes nothing.
func FuzzAnswers(f *testing.F) {
	const (
		verdict   = `{"model":"m","choices":[{"message":{"content":"{\"reason\":\"A SECRET\",\"verdict\":\"yes\"}"}}],"usage":{"prompt_tokens":-1,"completion_tokens":9223372036854775807}}`
		answer    = `{"choices":[{"message":{"content":"A SECRET"},"logprobs":{"content":[{"token":"A SECRET","logprob":-0.5}]}}]}`
		vectors   = `{"model":"A SECRET\u0000","data":[{"index":1,"embedding":[3,-4]},{"index":0,"embedding":[1e308,1e308]}],"usage":{"prompt_tokens":3}}`
		labels    = `[{"label":"A SECRET","score":1e308},{"label":"b","score":-1e308}]`
		scores    = `{"choices":[{"logprobs":{"tokens":["A SECRET","b"],"token_logprobs":[null,-1],"text_offset":[0,1]}}],"usage":{"completion_tokens":-5}}`
		refusal   = `{"error":{"message":"A SECRET","type":"A SECRET","code":"A SECRET","param":"A SECRET"}}`
		tooLong   = `{"error":{"message":"A SECRET","code":"context_length_exceeded","param":"messages"}}`
		unlike    = `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`
		repeated  = `{"data":[{"index":0,"embedding":[0]},{"index":0,"embedding":[0]}]}`
		noNumbers = `{"data":[{"index":0,"embedding":["A SECRET"]},{"index":1,"embedding":[null]}]}`
	)
	for i, body := range []string{verdict, answer, vectors, labels, scores, refusal, tooLong, unlike, repeated, noNumbers, secret, "", "null", `[[]]`} {
		for kind := range uint8(5) {
			f.Add(kind, uint16(http.StatusOK), body)
		}
		f.Add(uint8(i), uint16(400+i), body)
	}
	var status int
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	f.Cleanup(server.Close)
	guard := model.NewGuard("default", model.Limits{Timeout: time.Minute}, nil, nil)
	at := model.Server{URL: server.URL, Key: "sk-secret", Client: server.Client()}
	judge := model.NewJudge(model.JudgeSettings{Server: at, Model: "m", MaxTokens: 9}, guard)
	answerer := model.NewAnswerer(model.JudgeSettings{Server: at, Model: "m", MaxTokens: 9}, guard)
	embedder := model.NewEmbedder(model.EmbedderSettings{Server: at, Model: "m", Batch: 2}, guard)
	classifier := model.NewClassifier(model.ClassifierSettings{Server: at, Name: "m", Activation: model.Sigmoid}, guard)
	scorer := model.NewScorer(model.ScorerSettings{Server: at, Model: "m"}, guard)

	f.Fuzz(func(t *testing.T, kind uint8, code uint16, text string) {
		status, body = 200+int(code)%400, text
		var used eval.Usage
		var name string
		var err error
		switch kind % 5 {
		case 0:
			var v eval.Verdict
			v, err = judge.Judge(t.Context(), question("a"))
			used, name = v.Usage, v.Model
		case 1:
			var a eval.Answer
			a, err = answerer.Answer(t.Context(), "a")
			used, name = a.Usage, a.Model
			requireLogProbs(t, a.Tokens)
		case 2:
			var e eval.Embeddings
			e, err = embedder.Embed(t.Context(), []string{"a", "b"})
			used, name = e.Usage, e.Model
			if err == nil {
				requireUnitVectors(t, e.Vectors, 2)
			}
		case 3:
			var c eval.Classification
			c, err = classifier.Classify(t.Context(), "a")
			for _, l := range c.Labels {
				require.True(t, l.Score >= 0 && l.Score <= 1, l)
			}
		case 4:
			var l eval.LogProbs
			l, err = scorer.LogProbs(t.Context(), "a b")
			used, name = l.Usage, l.Model
			requireLogProbs(t, l.Tokens)
		}
		require.GreaterOrEqual(t, used.PromptTokens, int64(0))
		require.GreaterOrEqual(t, used.CompletionTokens, int64(0))
		require.LessOrEqual(t, len(name), 200)
		require.True(t, utf8.ValidString(name))
		require.Equal(t, -1, strings.IndexFunc(name, func(r rune) bool { return r < ' ' }), "%q", name)
		if err != nil {
			require.NotContains(t, err.Error(), secret)
			require.Less(t, len(err.Error()), 400)
			require.Contains(t, []fault.Kind{fault.Unavailable, fault.TooLarge, fault.Unusable}, fault.KindOf(err), "%v", err)
			require.Contains(t, fault.Message(err), `the model "default"`)
		}
	})
}

func requireLogProbs(t *testing.T, tokens []eval.Token) {
	t.Helper()
	for _, token := range tokens {
		require.True(t, token.LogProb <= 0 && !math.IsInf(token.LogProb, 0), token)
	}
}

func requireUnitVectors(t *testing.T, vectors [][]float64, want int) {
	t.Helper()
	require.Len(t, vectors, want)
	for _, v := range vectors {
		require.NotEmpty(t, v)
		require.Len(t, v, len(vectors[0]))
		sum := 0.0
		for _, x := range v {
			sum += x * x
		}
		require.True(t, sum == 0 || math.Abs(sum-1) < 1e-9, "%v: %v", sum, v)
	}
}
