// SPDX-License-Identifier: Apache-2.0

// Package modelsextension opens the models that config.yaml names, keeps their
// limits, counts what they take, and provides them to the caller that runs evaluators.
package modelsextension

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/extension"

	"github.com/touchstone-otel/touchstone/internal/model"
)

// Type is how config.yaml names the component.
var Type = component.MustNewType("models")

// NewFactory makes the factory of the extension.
func NewFactory() extension.Factory {
	return extension.NewFactory(Type, createDefaultConfig, create, component.StabilityLevelBeta)
}

func create(_ context.Context, set extension.Settings, cfg component.Config) (extension.Extension, error) {
	return newExtension(cfg.(*Config), set.TelemetrySettings)
}

func createDefaultConfig() component.Config { return &Config{} }

func defaultRemote() RemoteConfig {
	return RemoteConfig{
		HTTP: confighttp.NewDefaultClientConfig(),
		Limits: LimitsConfig{
			Concurrency: 8, MaxWait: 30 * time.Second, Timeout: 20 * time.Second,
			Attempts: 3, FirstWait: 500 * time.Millisecond, BreakAfter: 5, BreakFor: 30 * time.Second,
		},
		Cache: defaultCache(),
	}
}

func defaultCache() CacheConfig { return CacheConfig{MaxKiB: 16 << 10, MaxAge: 24 * time.Hour} }

func defaultJudge() JudgeConfig {
	return JudgeConfig{Remote: defaultRemote(), MaxInputTokens: 32_000, MaxTokens: 2048, Repairs: 1}
}

func defaultEmbedder() EmbedderConfig {
	return EmbedderConfig{Remote: defaultRemote(), Batch: 64}
}

func defaultScorer() ScorerConfig { return ScorerConfig{Remote: defaultRemote()} }

func defaultClassifier() ClassifierConfig {
	return ClassifierConfig{Remote: defaultRemote(), Activation: model.Softmax}
}

func defaultONNX() ONNXConfig {
	return ONNXConfig{
		Activation: model.Softmax, MaxTokens: 512, Concurrency: 1, MaxWait: 30 * time.Second, Cache: defaultCache(),
	}
}
