// SPDX-License-Identifier: Apache-2.0

package modelsextension

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configauth"
	"go.opentelemetry.io/collector/config/configmiddleware"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/hostext"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T, cfg *Config) *modelsExtension {
	t.Helper()
	ext, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(Type), cfg)
	require.NoError(t, err)
	require.NoError(t, ext.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { require.NoError(t, ext.Shutdown(context.WithoutCancel(t.Context()))) })
	return ext.(*modelsExtension)
}

func judgeOn(url string, evaluators ...string) JudgeConfig {
	j := defaultJudge()
	j.Remote.HTTP.Endpoint, j.Remote.APIKey, j.Remote.Evaluators = url, "sk-made-up", evaluators
	j.Model = "judge-1"
	return j
}

func question() eval.Question {
	return eval.Question{
		Evaluator: "faithfulness", Version: "1", Instructions: "Judge.", Data: []eval.DataBlock{{Name: "answer", Text: "a"}},
		Schema: json.RawMessage(`{"type":"object","properties":{"v":{"type":"string"}},"required":["v"],"additionalProperties":false}`),
	}
}

func verdict() modeltest.Step { return modeltest.JSON(map[string]string{"v": "yes"}) }

func TestModelsAreLentToTheirEvaluators(t *testing.T) {
	t.Parallel()
	all := modeltest.NewServer(t, verdict())
	some := modeltest.NewServer(t, verdict())
	labels := modeltest.NewServer(t, modeltest.Labels(modeltest.Label{Label: "LABEL_1", Score: 0.9}, modeltest.Label{Label: "LABEL_0", Score: 0.1}))
	off := judgeOn("")
	c := defaultClassifier()
	c.Remote.HTTP.Endpoint, c.Remote.Evaluators, c.Labels = labels.Root(), []string{"prompt-injection"}, map[string]string{"LABEL_1": "INJECTION"}
	e := defaultEmbedder()
	e.Remote.HTTP.Endpoint, e.Model = all.URL(), "embedder"
	s := defaultScorer()
	s.Remote.HTTP.Endpoint, s.Model, s.Remote.Evaluators = all.URL(), "scorer", []string{"prompt-perplexity"}
	judge := judgeOn(all.URL())
	judge.LogProbs = true
	ext := start(t, &Config{
		Judges:      map[string]JudgeConfig{"default": judge, "strict": judgeOn(some.URL(), "faithfulness"), "off": off},
		Classifiers: map[string]ClassifierConfig{"injection": c, "off": defaultClassifier()},
		Embedders:   map[string]EmbedderConfig{"default": e, "off": defaultEmbedder()},
		Scorers:     map[string]ScorerConfig{"default": s, "off": defaultScorer()},
		ONNX:        map[string]ONNXConfig{"off": defaultONNX()},
	})
	provider, err := hostext.Find[eval.ModelProvider](hostWith(ext), component.NewID(Type))
	require.NoError(t, err)

	_, err = provider.Models("faithfulness").Judge.Judge(t.Context(), question())
	require.NoError(t, err)
	require.Len(t, some.Requests(), 1)
	require.Empty(t, all.Requests())
	_, err = provider.Models("anything-else").Judge.Judge(t.Context(), question())
	require.NoError(t, err)
	require.Len(t, all.Requests(), 1)
	require.Equal(t, "Bearer sk-made-up", all.Requests()[0].Header.Get("Authorization"))

	m := provider.Models("prompt-injection")
	got, err := m.Classifier.Classify(t.Context(), "x")
	require.NoError(t, err)
	require.Equal(t, "INJECTION", got.Labels[0].Name)
	require.NotNil(t, m.Embedder)
	require.NotNil(t, m.Answerer)
	require.Nil(t, m.Scorer)
	require.NotNil(t, provider.Models("prompt-perplexity").Scorer)
	require.Nil(t, provider.Models("faithfulness").Classifier)
	require.NotNil(t, provider.Models("faithfulness").Answerer, "no other model answers")

	_, ok := provider.Judge("strict")
	require.True(t, ok)
	_, ok = provider.Judge("off")
	require.False(t, ok)
}

type host map[component.ID]component.Component

func (h host) GetExtensions() map[component.ID]component.Component { return h }

func hostWith(ext component.Component) host { return host{component.NewID(Type): ext} }

func TestLifecycle(t *testing.T) {
	t.Parallel()
	create := func(cfg *Config) *modelsExtension {
		ext, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(Type), cfg)
		require.NoError(t, err)
		return ext.(*modelsExtension)
	}
	ext := create(createDefaultConfig().(*Config))
	require.Equal(t, eval.Models{}, ext.Models("x"), "nothing before Start")
	require.NoError(t, ext.Shutdown(t.Context()), "without Start")
	require.NoError(t, ext.Start(t.Context(), componenttest.NewNopHost()))
	require.Equal(t, eval.Models{}, ext.Models("x"), "nothing configured")
	require.NoError(t, ext.Shutdown(t.Context()))
	require.NoError(t, ext.Shutdown(t.Context()), "twice")

	broken := judgeOn("http://127.0.0.1:1/v1")
	broken.Remote.HTTP.TLS.CAFile = "/nowhere/ca.pem"
	absent := defaultONNX()
	absent.Task, absent.Path = TaskClassify, t.TempDir()
	embed := absent
	embed.Task = TaskEmbed
	e, s, c := defaultEmbedder(), defaultScorer(), defaultClassifier()
	e.Remote, s.Remote, c.Remote = broken.Remote, broken.Remote, broken.Remote
	for key, cfg := range map[string]*Config{
		"judges::broken::http":      {Judges: map[string]JudgeConfig{"broken": broken}},
		"embedders::broken::http":   {Embedders: map[string]EmbedderConfig{"broken": e}},
		"scorers::broken::http":     {Scorers: map[string]ScorerConfig{"broken": s}},
		"classifiers::broken::http": {Classifiers: map[string]ClassifierConfig{"broken": c}},
		"onnx::absent":              {ONNX: map[string]ONNXConfig{"absent": absent}, Judges: map[string]JudgeConfig{"fine": judgeOn("http://127.0.0.1:1/v1")}},
		"onnx::embed":               {ONNX: map[string]ONNXConfig{"embed": embed}},
	} {
		ext := create(cfg)
		require.ErrorContains(t, ext.Start(t.Context(), componenttest.NewNopHost()), `"`+key+`"`)
		require.Empty(t, ext.closes, "half a start is undone")
		require.NoError(t, ext.Shutdown(t.Context()))
	}
}

func TestModelsOfThisProcess(t *testing.T) {
	t.Parallel()
	classify, embed := defaultONNX(), defaultONNX()
	classify.Task, classify.Path = TaskClassify, modeltest.ONNX{}.Write(t)
	classify.Evaluators, classify.Labels = []string{"tone-detection"}, map[string]string{"blame": "anger"}
	embed.Task, embed.Path = TaskEmbed, modeltest.ONNX{PerToken: true}.Write(t)
	cfg := &Config{ONNX: map[string]ONNXConfig{"tone": classify, "vectors": embed}}
	require.NoError(t, cfg.Validate())
	ext := start(t, cfg)
	got, err := ext.Models("tone-detection").Classifier.Classify(t.Context(), "bad day")
	require.NoError(t, err)
	require.Equal(t, "anger", got.Labels[0].Name)
	require.Equal(t, "tone", got.Model)
	vectors, err := ext.Models("semantic-similarity").Embedder.Embed(t.Context(), []string{"good", "good good"})
	require.NoError(t, err)
	require.InDeltaSlice(t, vectors.Vectors[0], vectors.Vectors[1], 1e-6)
	require.Nil(t, ext.Models("semantic-similarity").Classifier)
}

// A directory gives each of its models to the evaluators of its slot; what is configured comes first.
func TestADirectoryOfModels(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(slot string, m modeltest.ONNX) {
		require.NoError(t, os.Rename(m.Write(t), filepath.Join(dir, slot)))
	}
	put("emotion", modeltest.ONNX{Config: map[string]any{"id2label": map[string]string{"0": "joy", "1": "neutral", "2": "anger"}}})
	put("toxicity", modeltest.ONNX{Config: map[string]any{
		"problem_type": "multi_label_classification", "id2label": map[string]string{"0": "clean", "1": "insult", "2": "threat"},
	}})
	put("embeddings", modeltest.ONNX{PerToken: true})
	put("entail", modeltest.ONNX{Pairs: true, Config: map[string]any{"id2label": map[string]string{"0": "entailment", "1": "neutral", "2": "contradiction"}}})
	ext := start(t, &Config{ModelsDir: dir})
	pair, err := ext.Models("faithfulness").Classifier.ClassifyPair(t.Context(), "good", "day")
	require.NoError(t, err)
	require.Equal(t, "entailment", pair.Labels[0].Name)

	tone, err := ext.Models("tone-detection").Classifier.Classify(t.Context(), "bad")
	require.NoError(t, err)
	require.Equal(t, "anger", tone.Labels[0].Name)
	require.InDelta(t, 1, tone.Labels[0].Score+tone.Labels[1].Score+tone.Labels[2].Score, 1e-6)
	toxic, err := ext.Models("toxicity-detector").Classifier.Classify(t.Context(), "bad day")
	require.NoError(t, err)
	threat, _ := toxic.Score("threat")
	insult, _ := toxic.Score("insult")
	require.InDelta(t, 0.8808, threat, 1e-3, "each label by itself")
	require.InDelta(t, 0.7311, insult, 1e-3)
	require.NotNil(t, ext.Models("semantic-similarity").Embedder)
	require.Nil(t, ext.Models("prompt-injection").Classifier)
	require.Equal(t, "models_dir/embeddings", ext.Status()[0].Name)

	other := defaultClassifier()
	other.Remote.HTTP.Endpoint, other.Remote.Evaluators = "http://127.0.0.1:1", []string{"toxicity-detector"}
	ext = start(t, &Config{ModelsDir: dir, Classifiers: map[string]ClassifierConfig{"mine": other}})
	require.Len(t, ext.Status(), 4)
	require.Equal(t, "classifiers/mine", ext.Status()[0].Name)

	checked, err := Check(t.Context(), dir)
	require.NoError(t, err)
	require.Len(t, checked, 4)
	for i, slot := range []string{"embeddings", "emotion", "entail", "toxicity"} {
		require.Equal(t, slot, checked[i].Slot)
		require.Equal(t, 10, checked[i].Examples, slot)
		require.Positive(t, checked[i].Median, slot)
		require.LessOrEqual(t, checked[i].Median, checked[i].Slowest, slot)
	}
	require.Equal(t, 5, checked[2].Agreed, "a model that knows no word of the examples finds each alike")

	for path, want := range map[string]string{filepath.Join(dir, "absent"): `"models_dir"`, filepath.Dir(modeltest.ONNX{}.Write(t)): ""} {
		ext, err := newExtension(&Config{ModelsDir: path}, componenttest.NewNopTelemetrySettings())
		require.NoError(t, err)
		if err := ext.Start(t.Context(), componenttest.NewNopHost()); want != "" {
			require.ErrorContains(t, err, want)
		} else {
			require.NoError(t, err, "a directory without slots is empty")
		}
	}
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "entail")))
	put("entail", modeltest.ONNX{})
	_, err = Check(t.Context(), dir)
	require.ErrorContains(t, err, `"models_dir::entail": no file of the model names its separator token`)
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "entail")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "injection"), 0o700))
	broken, err := newExtension(&Config{ModelsDir: dir}, componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	require.ErrorContains(t, broken.Start(t.Context(), componenttest.NewNopHost()), `"models_dir::injection"`)
	require.Empty(t, broken.closes, "half a start is undone")
}

func TestServerThatIsDownKeepsNothingFromStarting(t *testing.T) {
	t.Parallel()
	j := judgeOn("http://127.0.0.1:1/v1")
	j.Remote.Limits.Attempts = 1
	ext := start(t, &Config{Judges: map[string]JudgeConfig{"default": j}})
	_, err := ext.Models("x").Judge.Judge(t.Context(), question())
	require.True(t, fault.Is(err, fault.Unavailable))
}

func TestExtensionsOfClientsStartFirst(t *testing.T) {
	t.Parallel()
	remote := func(name string) RemoteConfig {
		r := defaultRemote()
		r.HTTP.Auth = configoptional.Some(configauth.Config{AuthenticatorID: component.MustNewIDWithName("oauth2client", name)})
		return r
	}
	j, e, s, c := defaultJudge(), defaultEmbedder(), defaultScorer(), defaultClassifier()
	j.Remote, e.Remote, s.Remote, c.Remote = remote("j"), remote("e"), remote("s"), remote("c")
	c.Remote.HTTP.Middlewares = []configmiddleware.Config{{ID: component.MustNewID("sign")}}
	ext, err := newExtension(&Config{
		Judges: map[string]JudgeConfig{"a": j}, Embedders: map[string]EmbedderConfig{"a": e},
		Scorers: map[string]ScorerConfig{"a": s}, Classifiers: map[string]ClassifierConfig{"a": c},
	}, componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	require.Len(t, ext.Dependencies(), 5)
}

func TestMetricsAndLogs(t *testing.T) {
	t.Parallel()
	telemetry := componenttest.NewTelemetry()
	t.Cleanup(func() { require.NoError(t, telemetry.Shutdown(context.WithoutCancel(t.Context()))) })
	set := telemetry.NewTelemetrySettings()
	core, logs := observer.New(zap.InfoLevel)
	set.Logger = zap.New(core)
	server := modeltest.NewServer(t, modeltest.Status(500, "x"), verdict())
	j := judgeOn(server.URL())
	j.AllowedModels, j.Remote.Limits.Attempts, j.Remote.Limits.BreakAfter = []string{"judge-2"}, 1, 1
	j.Remote.Limits.BreakFor = 1
	ext, err := newExtension(&Config{
		Judges: map[string]JudgeConfig{"default": j}, Prices: map[string]PriceConfig{"judge-1": {Prompt: 1, Completion: 2}},
	}, set)
	require.NoError(t, err)
	require.NoError(t, ext.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { require.NoError(t, ext.Shutdown(context.WithoutCancel(t.Context()))) })

	judge := ext.Models("x").Judge
	_, err = judge.Judge(t.Context(), question())
	require.Error(t, err)
	q := question()
	q.Model = "judge-2"
	for range 2 {
		_, err = judge.Judge(t.Context(), question())
		require.NoError(t, err)
		_, err = judge.Judge(t.Context(), q)
		require.NoError(t, err)
	}

	sum := func(name string, labels ...attribute.KeyValue) any {
		labels = append(labels, attribute.String("model", "judges/default"), attribute.String("kind", "judge"))
		want := attribute.NewSet(labels...)
		m, err := telemetry.GetMetric(name)
		require.NoError(t, err)
		switch data := m.Data.(type) {
		case metricdata.Sum[int64]:
			for _, p := range data.DataPoints {
				if p.Attributes.Equals(&want) {
					return p.Value
				}
			}
		case metricdata.Sum[float64]:
			for _, p := range data.DataPoints {
				if p.Attributes.Equals(&want) {
					return p.Value
				}
			}
		case metricdata.Histogram[float64]:
			return data.DataPoints[0].Count
		case metricdata.Gauge[int64]:
			return data.DataPoints[0].Value
		}
		return nil
	}
	require.Len(t, ext.Status(), 1)
	status := ext.Status()[0]
	require.Positive(t, status.Took)
	require.WithinDuration(t, time.Now(), status.LastError, time.Minute)
	require.InDelta(t, 0.00014, status.Cost, 1e-12)
	status.Took, status.LastError, status.Cost = 0, time.Time{}, 0
	require.Equal(t, model.Status{Name: "judges/default", Requests: 3, Errors: 1, LastReason: model.ReasonServer, PromptTokens: 200, CompletionTokens: 40}, status)

	require.EqualValues(t, 3, sum("touchstone_model_requests"))
	require.EqualValues(t, 3, sum("touchstone_model_latency"))
	require.EqualValues(t, 1, sum("touchstone_model_errors", attribute.String("reason", "server")))
	require.EqualValues(t, 200, sum("touchstone_model_tokens", attribute.String("direction", "prompt")))
	require.EqualValues(t, 40, sum("touchstone_model_tokens", attribute.String("direction", "completion")))
	require.InDelta(t, 0.00014, sum("touchstone_model_cost"), 1e-12)
	require.EqualValues(t, 120, sum("touchstone_model_unpriced"))
	require.EqualValues(t, 2, sum("touchstone_model_cache_lookups", attribute.String("result", "hit")))
	require.EqualValues(t, 3, sum("touchstone_model_cache_lookups", attribute.String("result", "miss")))
	require.EqualValues(t, 0, sum("touchstone_model_breaker_open"))

	warned := logs.FilterMessageSnippet("no price").All()
	require.Len(t, warned, 1)
	require.Equal(t, []any{"judge-2"}, warned[0].ContextMap()["models"])
	for _, entry := range logs.All() {
		require.NotContains(t, entry.Message, "sk-made-up")
	}
	require.NotEqual(t, "sk-made-up", configopaque.String("sk-made-up").String())
}
