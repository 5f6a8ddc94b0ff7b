// SPDX-License-Identifier: Apache-2.0

package modeltest

import (
	"testing"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/model"
)

// JudgeModel is the name of the model that Models asks.
const JudgeModel = "judge-1"

// Models starts a server with a script and gives models that ask it: a judge,
// an answerer, an embedder, a scorer and a softmax classifier. Nothing is
// retried or kept, but an unusable answer is asked for once more.
func Models(t testing.TB, steps ...Step) (eval.Models, *Server) {
	t.Helper()
	s := NewServer(t, steps...)
	guard := model.NewGuard("test", model.Limits{Timeout: time.Minute}, nil, nil)
	server := model.Server{URL: s.URL(), Client: s.Client()}
	judge := model.JudgeSettings{Server: server, Model: JudgeModel, MaxTokens: 1000, Repairs: 1, LogProbs: true}
	return eval.Models{
		Judge:    model.NewJudge(judge, guard),
		Answerer: model.NewAnswerer(judge, guard),
		Embedder: model.NewEmbedder(model.EmbedderSettings{Server: server, Model: "embedder", Batch: 64}, guard),
		Scorer:   model.NewScorer(model.ScorerSettings{Server: server, Model: "scorer"}, guard),
		Classifier: model.NewClassifier(model.ClassifierSettings{
			Server: model.Server{URL: s.Root(), Client: s.Client()}, Name: "classifier", Activation: model.Softmax,
		}, guard),
	}, s
}
