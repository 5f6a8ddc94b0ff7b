// SPDX-License-Identifier: Apache-2.0

package modelsextension

import (
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/confmap"

	"github.com/touchstone-otel/touchstone/internal/model"
)

// Config is what config.yaml says of the extension. Every map is of models by
// the names that metrics and errors call them; empty maps provide nothing.
type Config struct {
	// Store is the extension of the stores: requests_per_minute and tokens_per_minute
	// hold for all processes together that share its control store in PostgreSQL, under
	// the names of models. Default: none, each process has them for itself.
	Store component.ID `mapstructure:"store"`
	// Judges answer questions about texts with verdicts.
	Judges map[string]JudgeConfig `mapstructure:"judges"`
	// Embedders give texts vectors.
	Embedders map[string]EmbedderConfig `mapstructure:"embedders"`
	// Classifiers give texts labels.
	Classifiers map[string]ClassifierConfig `mapstructure:"classifiers"`
	// Scorers tell how likely a text is.
	Scorers map[string]ScorerConfig `mapstructure:"scorers"`
	// ONNX are classifiers and embedders that run in this process.
	ONNX map[string]ONNXConfig `mapstructure:"onnx"`
	// ModelsDir is a directory with models that run in this process, each in the directory
	// of its slot: embeddings, emotion, entail, injection, toxicity. Default: none.
	ModelsDir string `mapstructure:"models_dir"`
	// Prices are in US dollars per million tokens, by the name of the model as
	// requests spell it. A model without a price costs nothing and is counted
	// as unpriced.
	Prices map[string]PriceConfig `mapstructure:"prices"`

	_ struct{}
}

// PriceConfig is the price of a model's tokens.
type PriceConfig struct {
	// Prompt is the price of a million tokens that it reads. Default: 0.
	Prompt float64 `mapstructure:"prompt"`
	// Completion is the price of a million tokens that it writes. Default: 0.
	Completion float64 `mapstructure:"completion"`

	_ struct{}
}

// RemoteConfig is what all models behind a server have in common.
type RemoteConfig struct {
	// HTTP is the client: endpoint, tls, headers, proxy_url, auth and all else
	// that the collector's HTTP clients know. Without an endpoint the model is
	// not configured and nothing is provided.
	HTTP confighttp.ClientConfig `mapstructure:"http"`
	// AllowLinkLocal lets requests go to link-local addresses and metadata
	// services of clouds. Default: false, and nothing is sent there, whatever the
	// endpoint's name means at the moment.
	AllowLinkLocal bool `mapstructure:"allow_link_local"`
	// APIKey is the bearer credential. Default: none.
	APIKey configopaque.String `mapstructure:"api_key"`
	// Evaluators are the slugs that may use the model. Default: all that no
	// other model of the same use names.
	Evaluators []string `mapstructure:"evaluators"`
	// Limits hold for all requests to the model together.
	Limits LimitsConfig `mapstructure:"limits"`
	// Cache keeps answers.
	Cache CacheConfig `mapstructure:"cache"`

	_ struct{}
}

// LimitsConfig is what requests keep to.
type LimitsConfig struct {
	// Concurrency is how many requests may be under way at once. Default: 8;
	// 0 is no limit.
	Concurrency int `mapstructure:"concurrency"`
	// RequestsPerMinute hold in every minute. Default: 0, no limit.
	RequestsPerMinute int `mapstructure:"requests_per_minute"`
	// TokensPerMinute hold in every minute. Default: 0, no limit.
	TokensPerMinute int `mapstructure:"tokens_per_minute"`
	// MaxWait is how long a request waits for its turn, and for a server that
	// asks for time. Default: 30s.
	MaxWait time.Duration `mapstructure:"max_wait"`
	// Timeout is how long one request may take. Default: 20s.
	Timeout time.Duration `mapstructure:"timeout"`
	// Attempts is how often a request is sent at most. Default: 3.
	Attempts int `mapstructure:"attempts"`
	// FirstWait is about how long to wait before the second attempt; each
	// further wait is about twice as long. Default: 500ms.
	FirstWait time.Duration `mapstructure:"first_wait"`
	// BreakAfter is how many outages in a row stop all requests for BreakFor.
	// Default: 5; 0 never does.
	BreakAfter int `mapstructure:"break_after"`
	// BreakFor is how long nothing is sent then. Default: 30s.
	BreakFor time.Duration `mapstructure:"break_for"`

	_ struct{}
}

// CacheConfig is how many answers are kept for how long.
type CacheConfig struct {
	// MaxKiB is about how much memory they may take, in KiB. Default: 16384;
	// 0 keeps none.
	MaxKiB int64 `mapstructure:"max_kib"`
	// MaxAge is how old an answer may be when it is given again. Default: 24h.
	MaxAge time.Duration `mapstructure:"max_age"`

	_ struct{}
}

// JudgeConfig is a language model behind an OpenAI-compatible server.
type JudgeConfig struct {
	Remote RemoteConfig `mapstructure:",squash"`
	// Model is the model that is asked.
	Model string `mapstructure:"model"`
	// AllowedModels are others that a request may ask for by name. Default: none.
	AllowedModels []string `mapstructure:"allowed_models"`
	// MaxInputTokens is how much of the texts a question sends, in tokens of about four
	// bytes: of longer ones, the sentences that bear on the others. Default: 32000; 0 is all.
	MaxInputTokens int `mapstructure:"max_input_tokens"`
	// MaxQuestionCost is what a question may cost by an estimate before it is sent, in US
	// dollars; texts are shortened to it as by MaxInputTokens. It needs a price of the model.
	// Default: 0, any.
	MaxQuestionCost float64 `mapstructure:"max_question_cost"`
	// MaxTokens is how long an answer may be. Default: 2048.
	MaxTokens int64 `mapstructure:"max_tokens"`
	// Repairs is how often an answer that does not fit its schema is asked for
	// again. Default: 1.
	Repairs int `mapstructure:"repairs"`
	// LogProbs says that the server gives log probabilities of what the model
	// writes, which provides the model to uncertainty too, and makes grades means of
	// the likely ones. Default: false.
	LogProbs bool `mapstructure:"log_probs"`

	_ struct{}
}

// EmbedderConfig is an embedding model behind an OpenAI-compatible server.
type EmbedderConfig struct {
	Remote RemoteConfig `mapstructure:",squash"`
	// Model is the model that is asked.
	Model string `mapstructure:"model"`
	// Dimensions shortens vectors, with models that can. Default: 0, as they are.
	Dimensions int64 `mapstructure:"dimensions"`
	// Batch is how many texts go into one request. Default: 64.
	Batch int `mapstructure:"batch"`
	// Judge names the judge whose http, allow_link_local and api_key the embedder uses
	// if it has no endpoint. Without that judge or a model it is switched off. Default: none.
	Judge string `mapstructure:"judge"`

	_ struct{}
}

// ScorerConfig is a language model whose server echoes the log probabilities
// of a prompt.
type ScorerConfig struct {
	Remote RemoteConfig `mapstructure:",squash"`
	// Model is the model that is asked.
	Model string `mapstructure:"model"`

	_ struct{}
}

// ClassifierConfig is a classifier behind a server of Text Embeddings
// Inference.
type ClassifierConfig struct {
	Remote RemoteConfig `mapstructure:",squash"`
	// Activation is softmax, if exactly one label applies to a text, or
	// sigmoid. Default: softmax.
	Activation model.Activation `mapstructure:"activation"`
	// Labels give the model's labels the names that evaluators know.
	Labels map[string]string `mapstructure:"labels"`

	_ struct{}
}

// Task is what a model in this process does.
type Task string

// The tasks.
const (
	TaskClassify Task = "classify"
	TaskEmbed    Task = "embed"
)

// ONNXConfig is a model that runs in this process.
type ONNXConfig struct {
	// Task is classify or embed.
	Task Task `mapstructure:"task"`
	// Path is a directory with the model, tokenizer.json and config.json.
	Path string `mapstructure:"path"`
	// File is the model's name in it. Default: the only one.
	File string `mapstructure:"file"`
	// Evaluators are the slugs that may use the model. Default: all that no
	// other model of the same use names.
	Evaluators []string `mapstructure:"evaluators"`
	// Activation is softmax or sigmoid, for classifiers. Default: softmax.
	Activation model.Activation `mapstructure:"activation"`
	// Labels give a classifier's labels the names that evaluators know.
	Labels map[string]string `mapstructure:"labels"`
	// MaxTokens is how much of a text is read, if the model can. Default: 512.
	MaxTokens int `mapstructure:"max_tokens"`
	// Concurrency is how many texts are worked on at once. Default: 1.
	Concurrency int `mapstructure:"concurrency"`
	// MaxWait is how long a text waits for its turn. Default: 30s.
	MaxWait time.Duration `mapstructure:"max_wait"`
	// Cache keeps answers.
	Cache CacheConfig `mapstructure:"cache"`

	_ struct{}
}

// Unmarshal starts from the defaults.
func (c *JudgeConfig) Unmarshal(conf *confmap.Conf) error {
	*c = defaultJudge()
	return conf.Unmarshal(c)
}

// Unmarshal starts from the defaults.
func (c *EmbedderConfig) Unmarshal(conf *confmap.Conf) error {
	*c = defaultEmbedder()
	return conf.Unmarshal(c)
}

// Unmarshal starts from the defaults.
func (c *ScorerConfig) Unmarshal(conf *confmap.Conf) error {
	*c = defaultScorer()
	return conf.Unmarshal(c)
}

// Unmarshal starts from the defaults.
func (c *ClassifierConfig) Unmarshal(conf *confmap.Conf) error {
	*c = defaultClassifier()
	return conf.Unmarshal(c)
}

// Unmarshal starts from the defaults.
func (c *ONNXConfig) Unmarshal(conf *confmap.Conf) error {
	*c = defaultONNX()
	return conf.Unmarshal(c)
}
