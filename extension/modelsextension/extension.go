// SPDX-License-Identifier: Apache-2.0

package modelsextension

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/hostext"
	"github.com/touchstone-otel/touchstone/internal/model"
	"github.com/touchstone-otel/touchstone/internal/store"
)

var (
	_ extension.Extension             = (*modelsExtension)(nil)
	_ extensioncapabilities.Dependent = (*modelsExtension)(nil)
	_ eval.ModelProvider              = (*modelsExtension)(nil)
	_ model.Reporter                  = (*modelsExtension)(nil)
	_ store.Forgetter                 = (*modelsExtension)(nil)
)

type modelsExtension struct {
	cfg      *Config
	settings component.TelemetrySettings
	metrics  *metrics

	// registry is complete after Start and never changed.
	registry registry
	closes   []func() error
	// guards are what stands around each of the models; nil before Start.
	guards atomic.Pointer[[]*model.Guard]
	// accounts are of the same; nil before Start.
	accounts atomic.Pointer[[]*account]
}

func newExtension(cfg *Config, settings component.TelemetrySettings) (*modelsExtension, error) {
	metrics, err := newMetrics(settings.MeterProvider)
	if err != nil {
		return nil, err
	}
	return &modelsExtension{cfg: cfg, settings: settings, metrics: metrics}, nil
}

// Dependencies makes the extensions start first that HTTP clients name, and the one over
// which limits are shared.
func (e *modelsExtension) Dependencies() []component.ID {
	var ids []component.ID
	if e.cfg.Store != (component.ID{}) {
		ids = append(ids, e.cfg.Store)
	}
	add := func(r RemoteConfig) {
		if auth := r.HTTP.Auth.Get(); auth != nil {
			ids = append(ids, auth.AuthenticatorID)
		}
		for _, m := range r.HTTP.Middlewares {
			ids = append(ids, m.ID)
		}
	}
	for _, j := range e.cfg.Judges {
		add(j.Remote)
	}
	for _, m := range e.cfg.Embedders {
		add(m.Remote)
	}
	for _, m := range e.cfg.Scorers {
		add(m.Remote)
	}
	for _, m := range e.cfg.Classifiers {
		add(m.Remote)
	}
	return ids
}

// Start makes the clients and loads the models of this process, or none of
// them. No server is called: one that is down keeps nothing from starting.
func (e *modelsExtension) Start(ctx context.Context, host component.Host) error {
	o := &opening{extension: e, host: host}
	if e.cfg.Store != (component.ID{}) {
		stores, err := hostext.Find[store.Sharing](host, e.cfg.Store)
		if err != nil {
			return fmt.Errorf(`"store": %w`, err)
		}
		o.shared = stores.Paces()
	}
	if err := o.all(ctx); err != nil {
		return errors.Join(err, e.close())
	}
	e.registry = o.registry
	e.guards.Store(&o.guards)
	e.accounts.Store(&o.accounts)
	e.settings.Logger.Info("models are configured", zap.Strings("models", o.names))
	return nil
}

// Shutdown closes connections and lets go of models.
func (e *modelsExtension) Shutdown(context.Context) error { return e.close() }

func (e *modelsExtension) close() error {
	var errs []error
	for i := len(e.closes) - 1; i >= 0; i-- {
		errs = append(errs, e.closes[i]())
	}
	e.closes = nil
	return errors.Join(errs...)
}

// ForgetAnswers implements store.Forgetter.
func (e *modelsExtension) ForgetAnswers() {
	if guards := e.guards.Load(); guards != nil {
		for _, g := range *guards {
			g.ForgetAnswers()
		}
	}
}

// Models implements eval.ModelProvider; it gives nothing before Start.
func (e *modelsExtension) Models(evaluator string) eval.Models { return e.registry.models(evaluator) }

// Judge implements eval.ModelProvider.
func (e *modelsExtension) Judge(name string) (eval.JudgeModel, bool) {
	j, ok := e.registry.judges[name]
	return j, ok
}
