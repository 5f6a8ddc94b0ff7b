// SPDX-License-Identifier: Apache-2.0

package modelsextension

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/model/onnx"
	"github.com/touchstone-otel/touchstone/internal/pace"
)

// opening makes the models that the configuration names.
type opening struct {
	extension *modelsExtension
	host      component.Host
	shared    pace.Shared // where processes keep to limits together, nil if they do not
	registry  registry
	names     []string
	guards    []*model.Guard
	accounts  []*account // of the guards
	prices    model.Prices
}

func (o *opening) all(ctx context.Context) error {
	cfg := o.extension.cfg
	o.registry.judges = make(map[string]eval.JudgeModel)
	o.prices = make(model.Prices, len(cfg.Prices))
	for name, p := range cfg.Prices {
		o.prices[name] = model.Price{Prompt: p.Prompt, Completion: p.Completion}
	}
	for name, j := range sorted(cfg.Judges) {
		if err := o.judge(ctx, name, j); err != nil {
			return err
		}
	}
	for name, e := range sorted(cfg.Embedders) {
		if err := o.embedder(ctx, name, e.at(cfg.Judges)); err != nil {
			return err
		}
	}
	for name, s := range sorted(cfg.Scorers) {
		if err := o.scorer(ctx, name, s); err != nil {
			return err
		}
	}
	for name, k := range sorted(cfg.Classifiers) {
		if err := o.classifier(ctx, name, k); err != nil {
			return err
		}
	}
	for name, m := range sorted(cfg.ONNX) {
		if err := o.onnx(ctx, "onnx::"+name, name, m); err != nil {
			return err
		}
	}
	return o.directory(ctx)
}

func (o *opening) judge(ctx context.Context, name string, c JudgeConfig) error {
	if c.Remote.off() {
		return nil
	}
	server, guard, err := o.remote(ctx, "judges::"+name, name, c.Remote)
	if err != nil {
		return err
	}
	settings := model.JudgeSettings{
		Server: server, Model: c.Model, Allowed: c.AllowedModels, MaxTokens: c.MaxTokens, Repairs: c.Repairs,
		LogProbs: c.LogProbs, MaxInput: c.MaxInputTokens * model.BytesPerToken, MaxCost: c.MaxQuestionCost,
		Prices: o.prices, Cache: c.Remote.Cache.limits(),
	}
	judge := model.NewJudge(settings, guard)
	o.registry.judges[name] = judge
	o.registry.judge.add(c.Remote.Evaluators, judge)
	if c.LogProbs {
		o.registry.answerer.add(c.Remote.Evaluators, model.NewAnswerer(settings, guard))
	}
	o.priced(append([]string{c.Model}, c.AllowedModels...)...)
	return nil
}

func (o *opening) embedder(ctx context.Context, name string, c EmbedderConfig) error {
	if c.Remote.off() {
		return nil
	}
	server, guard, err := o.remote(ctx, "embedders::"+name, name, c.Remote)
	if err != nil {
		return err
	}
	o.registry.embedder.add(c.Remote.Evaluators, model.NewEmbedder(model.EmbedderSettings{
		Server: server, Model: c.Model, Dimensions: c.Dimensions, Batch: c.Batch, Prices: o.prices, Cache: c.Remote.Cache.limits(),
	}, guard))
	o.priced(c.Model)
	return nil
}

func (o *opening) scorer(ctx context.Context, name string, c ScorerConfig) error {
	if c.Remote.off() {
		return nil
	}
	server, guard, err := o.remote(ctx, "scorers::"+name, name, c.Remote)
	if err != nil {
		return err
	}
	o.registry.scorer.add(c.Remote.Evaluators, model.NewScorer(model.ScorerSettings{
		Server: server, Model: c.Model, Prices: o.prices, Cache: c.Remote.Cache.limits(),
	}, guard))
	o.priced(c.Model)
	return nil
}

func (o *opening) classifier(ctx context.Context, name string, c ClassifierConfig) error {
	if c.Remote.off() {
		return nil
	}
	server, guard, err := o.remote(ctx, "classifiers::"+name, name, c.Remote)
	if err != nil {
		return err
	}
	o.registry.classifier.add(c.Remote.Evaluators, model.NewClassifier(model.ClassifierSettings{
		Server: server, Name: name, Activation: c.Activation, Rename: c.Labels, Cache: c.Remote.Cache.limits(),
	}, guard))
	return nil
}

func (o *opening) onnx(ctx context.Context, key, name string, c ONNXConfig) error {
	if c.Path == "" {
		return nil
	}
	guard := o.guard(key, name, model.Limits{Concurrency: c.Concurrency, MaxWait: c.MaxWait, Attempts: 1})
	files := onnx.Settings{Path: c.Path, File: c.File, MaxTokens: c.MaxTokens}
	if c.Task == TaskEmbed {
		loaded, err := onnx.OpenEmbedder(ctx, files)
		if err != nil {
			return fmt.Errorf("%q: %w", key, err)
		}
		o.opened(key, loaded.Close)
		o.registry.embedder.add(c.Evaluators, model.NewLocalEmbedder(model.EmbedderSettings{
			Model: name, Batch: 1, Cache: c.Cache.limits(),
		}, guard, loaded.Vectors))
		return nil
	}
	loaded, err := onnx.OpenClassifier(ctx, files, c.Activation)
	if err != nil {
		return fmt.Errorf("%q: %w", key, err)
	}
	o.opened(key, loaded.Close)
	if !loaded.Pairs() && slices.ContainsFunc(c.Evaluators, func(slug string) bool { return slices.Contains(readingPairs(), slug) }) {
		return fmt.Errorf("%q: no file of the model names its separator token, which stands between two texts", key)
	}
	o.registry.classifier.add(c.Evaluators, model.NewLocalClassifier(model.ClassifierSettings{
		Name: name, Activation: c.Activation, Rename: c.Labels, Cache: c.Cache.limits(),
	}, guard, loaded.Labels))
	return nil
}

// remote makes the client of a server and its guard.
func (o *opening) remote(ctx context.Context, key, name string, r RemoteConfig) (model.Server, *model.Guard, error) {
	client, err := r.client(ctx, o.host, o.extension.settings)
	if err != nil {
		return model.Server{}, nil, fmt.Errorf("%q: %w", key+"::http", err)
	}
	o.opened(key, func() error {
		client.CloseIdleConnections()
		return nil
	})
	l := r.Limits
	guard := o.guard(key, name, model.Limits{
		Concurrency: l.Concurrency, RequestsPerMinute: l.RequestsPerMinute, TokensPerMinute: l.TokensPerMinute,
		MaxWait: l.MaxWait, Timeout: l.Timeout, Attempts: l.Attempts, FirstWait: l.FirstWait,
		BreakAfter: l.BreakAfter, BreakFor: l.BreakFor, Shared: o.shared, SharedName: key,
	})
	return model.Server{URL: r.HTTP.Endpoint, Key: string(r.APIKey), Client: client}, guard, nil
}

func (o *opening) guard(key, name string, limits model.Limits) *model.Guard {
	a := &account{status: model.Status{Name: label(key)}}
	g := model.NewGuard(name, limits, nil, modelObserver{o.extension.metrics, a, label(key)})
	o.guards, o.accounts = append(o.guards, g), append(o.accounts, a)
	return g
}

// label is how metrics and logs call what stands under a key.
func label(key string) string { return strings.Replace(key, "::", "/", 1) }

func (o *opening) opened(key string, done func() error) {
	o.names = append(o.names, label(key))
	o.extension.closes = append(o.extension.closes, done)
}

// priced tells of models whose cost will not be known.
func (o *opening) priced(models ...string) {
	unpriced := slices.DeleteFunc(models, func(m string) bool {
		_, known := o.prices[m]
		return known
	})
	if len(unpriced) > 0 && len(o.prices) > 0 {
		o.extension.settings.Logger.Warn("models have no price; their cost is not counted",
			zap.Strings("models", unpriced), zap.Strings("priced", slices.Sorted(maps.Keys(o.prices))))
	}
}

func (c CacheConfig) limits() model.CacheLimits {
	return model.CacheLimits{Bytes: c.MaxKiB << 10, Age: c.MaxAge}
}
