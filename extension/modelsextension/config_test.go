// SPDX-License-Identifier: Apache-2.0

package modelsextension

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"

	"github.com/touchstone-otel/touchstone/internal/configtest"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	require.NoError(t, componenttest.CheckConfigStruct(createDefaultConfig()))
	cfg := createDefaultConfig().(*Config)
	require.NoError(t, configtest.Load(t, component.NewID(Type), cfg))
	require.Equal(t, createDefaultConfig(), cfg)

	require.NoError(t, configtest.Load(t, component.NewIDWithName(Type, "all"), cfg))
	judge := cfg.Judges["default"]
	require.Equal(t, "https://judge.example/v1", judge.Remote.HTTP.Endpoint)
	require.Equal(t, "sk-made-up", string(judge.Remote.APIKey))
	require.Equal(t, LimitsConfig{
		Concurrency: 2, RequestsPerMinute: 60, TokensPerMinute: 10_000, MaxWait: 5 * time.Second, Timeout: 10 * time.Second,
		Attempts: 2, FirstWait: time.Second, BreakAfter: 3, BreakFor: time.Minute,
	}, judge.Remote.Limits)
	require.Equal(t, CacheConfig{MaxAge: time.Hour}, judge.Remote.Cache)
	require.Equal(t, []string{"gpt-4o"}, judge.AllowedModels)
	require.Equal(t, int64(512), judge.MaxTokens)
	require.Equal(t, 4000, judge.MaxInputTokens)
	require.InDelta(t, 0.5, judge.MaxQuestionCost, 0)
	require.Zero(t, judge.Repairs)
	require.True(t, judge.LogProbs)
	require.NotContains(t, fmt.Sprintf("%v %+v", cfg, cfg), "made-up")

	strict := cfg.Judges["strict"]
	require.Equal(t, defaultRemote().Limits, strict.Remote.Limits, "what is left out is the default")
	require.Equal(t, defaultCache(), strict.Remote.Cache)
	require.Equal(t, "llama3.1:8b", strict.Model)
	require.Equal(t, 8, cfg.Embedders["default"].Batch)
	require.Equal(t, "qwen", cfg.Scorers["default"].Model)
	require.Equal(t, model.Sigmoid, cfg.Classifiers["toxicity"].Activation)
	require.Equal(t, ONNXConfig{
		Task: TaskClassify, Path: "/models/injection", File: "model_quantized.onnx", Evaluators: []string{"prompt-injection"},
		Activation: model.Softmax, Labels: map[string]string{"LABEL_1": "INJECTION"}, MaxTokens: 256, Concurrency: 2,
		MaxWait: time.Second, Cache: CacheConfig{MaxKiB: 1024, MaxAge: 24 * time.Hour},
	}, cfg.ONNX["injection"])
	require.Equal(t, PriceConfig{Prompt: 2}, cfg.Prices["gpt-4.1"])
}

func TestValidateNamesAllProblems(t *testing.T) {
	t.Parallel()
	err := configtest.Load(t, component.NewIDWithName(Type, "wrong"), createDefaultConfig())
	require.Error(t, err)
	require.NotContains(t, err.Error(), "hunter2")
	require.NotContains(t, err.Error(), "lines")
	for _, key := range []string{
		"judges::bad::http::endpoint", "judges::bad::api_key", "judges::bad::model", "judges::bad::max_input_tokens", "judges::bad::max_question_cost", "judges::bad::max_tokens", "judges::bad::repairs",
		"judges::bad::evaluators", "judges::bad::allowed_models", "judges::bad::limits::concurrency",
		"judges::bad::limits::requests_per_minute", "judges::bad::limits::tokens_per_minute", "judges::bad::limits::max_wait",
		"judges::bad::limits::timeout", "judges::bad::limits::attempts", "judges::bad::limits::first_wait",
		"judges::bad::limits::break_after", "judges::bad::limits::break_for", "judges::bad::cache::max_kib",
		"judges::bad::cache::max_age", "judges::two::evaluators", "embedders::bad::http::endpoint", "embedders::bad::model",
		"embedders::bad::dimensions", "embedders::bad::batch", "embedders::bad::judge", "scorers::bad::http::endpoint", "scorers::bad::model",
		"classifiers::bad::activation", "classifiers::bad::evaluators", "onnx::bad::task", "onnx::bad::activation",
		"onnx::bad::max_tokens", "onnx::bad::concurrency", "onnx::bad::max_wait", "onnx::bad::evaluators",
		"onnx::bad::cache::max_kib", "onnx::two::evaluators", "onnx::three::evaluators", "onnx::four::evaluators",
		"prices::gpt-4.1::prompt", "prices::gpt-4.1::completion",
	} {
		require.ErrorContains(t, err, `"`+key+`"`)
	}
	require.ErrorContains(t, err, `names "tone-detection", which "classifiers::one" names too`)
}

// The part of the README about each kind is held against its struct.
func TestReadmeListsTheSettings(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	section := func(title string) []configtest.Setting {
		_, after, found := strings.Cut(string(readme), "\n### "+title+"\n")
		require.True(t, found, title)
		before, _, _ := strings.Cut(after, "\n##")
		return configtest.Table(before)
	}
	for title, defaults := range map[string]component.Config{
		"Judges, embedders, scorers, classifiers": new(defaultRemote()),
		"Judges":      new(defaultJudge()),
		"Embedders":   new(defaultEmbedder()),
		"Scorers":     new(defaultScorer()),
		"Classifiers": new(defaultClassifier()),
		"ONNX":        new(defaultONNX()),
		"Prices":      &PriceConfig{},
	} {
		want := slices.DeleteFunc(configtest.Settings(defaults), func(s configtest.Setting) bool {
			return strings.HasPrefix(s.Key, "http::") && s.Key != "http::endpoint"
		})
		require.Equal(t, want, section(title), title)
	}
}

// resolve reads the snippet as the collector does, environment and all.
func resolve(t *testing.T) *Config {
	t.Helper()
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{
		URIs: []string{"testdata/config.yaml"},
		ProviderFactories: []confmap.ProviderFactory{
			fileprovider.NewFactory(), envprovider.NewFactory(), yamlprovider.NewFactory(),
		},
		DefaultScheme: "env",
	})
	require.NoError(t, err)
	file, err := resolver.Resolve(t.Context())
	require.NoError(t, err)
	part, err := file.Sub("models/environment")
	require.NoError(t, err)
	cfg := createDefaultConfig().(*Config)
	require.NoError(t, part.Unmarshal(cfg))
	require.NoError(t, resolver.Shutdown(t.Context()))
	return cfg
}

func TestEnvironmentSwitchesTheJudgeOn(t *testing.T) {
	t.Setenv("TOUCHSTONE_JUDGE_URL", "")
	t.Setenv("TOUCHSTONE_JUDGE_MODEL", "")
	cfg := resolve(t)
	require.NoError(t, confmap.Validate(cfg))
	require.Nil(t, start(t, cfg).Models("faithfulness").Judge)

	t.Setenv("TOUCHSTONE_JUDGE_URL", "http://localhost:11434/v1")
	require.ErrorContains(t, confmap.Validate(resolve(t)), `"judges::default::model" must be set`)

	t.Setenv("TOUCHSTONE_JUDGE_MODEL", "llama3")
	t.Setenv("TOUCHSTONE_JUDGE_API_KEY", "sk-made-up")
	cfg = resolve(t)
	require.NoError(t, confmap.Validate(cfg))
	require.Equal(t, "sk-made-up", string(cfg.Judges["default"].Remote.APIKey))
	require.NotNil(t, start(t, cfg).Models("faithfulness").Judge)
}

// One variable more gives embeddings by the judge's server, with its key; a server of their
// own gets a key of its own.
func TestEnvironmentSwitchesEmbeddingsOn(t *testing.T) {
	for _, name := range []string{"JUDGE_URL", "JUDGE_MODEL", "JUDGE_API_KEY", "EMBEDDINGS_URL", "EMBEDDINGS_MODEL", "EMBEDDINGS_API_KEY"} {
		t.Setenv("TOUCHSTONE_"+name, "")
	}
	t.Setenv("TOUCHSTONE_EMBEDDINGS_MODEL", "bge-small")
	require.NoError(t, confmap.Validate(resolve(t)))
	require.Nil(t, start(t, resolve(t)).Models("semantic-similarity").Embedder, "no judge has a server")

	server := modeltest.NewServer(t, modeltest.Vectors([]float64{1, 0}), modeltest.Status(http.StatusNotFound, "x"))
	t.Setenv("TOUCHSTONE_JUDGE_URL", server.URL())
	t.Setenv("TOUCHSTONE_JUDGE_MODEL", "llama3")
	t.Setenv("TOUCHSTONE_JUDGE_API_KEY", "of-the-judge")
	embedder := start(t, resolve(t)).Models("semantic-similarity").Embedder
	_, err := embedder.Embed(t.Context(), []string{"a"})
	require.NoError(t, err)
	require.Equal(t, "/v1/embeddings", server.Requests()[0].Path)
	require.Equal(t, "Bearer of-the-judge", server.Requests()[0].Header.Get("Authorization"))
	require.Contains(t, string(server.Requests()[0].Body), "bge-small")

	other := modeltest.NewServer(t, modeltest.Vectors([]float64{1, 0}))
	t.Setenv("TOUCHSTONE_EMBEDDINGS_URL", other.URL())
	_, err = start(t, resolve(t)).Models("semantic-similarity").Embedder.Embed(t.Context(), []string{"a"})
	require.NoError(t, err)
	require.Len(t, server.Requests(), 1)
	require.NotContains(t, other.Requests()[0].Header.Get("Authorization"), "judge", "keys stay with their servers")

	t.Setenv("TOUCHSTONE_EMBEDDINGS_MODEL", "")
	require.ErrorContains(t, confmap.Validate(resolve(t)), `"embedders::default::model" must be set`)
}
