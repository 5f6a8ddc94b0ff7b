// SPDX-License-Identifier: Apache-2.0

package storeextension

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/store"
)

var (
	_ extension.Extension = (*storeExtension)(nil)
	_ store.Provider      = (*storeExtension)(nil)
)

type storeExtension struct {
	cfg       *Config
	openSpans openSpans
	log       *zap.Logger
	failures  metric.Int64Counter

	control store.Control
	live    *store.Live
	spans   store.Spans
	keeper  *keeper
}

func newExtension(cfg *Config, set component.TelemetrySettings, open openSpans) (*storeExtension, error) {
	failures, err := set.MeterProvider.Meter("github.com/touchstone-otel/touchstone/extension/storeextension").Int64Counter(
		"touchstone_store_expire_failures",
		metric.WithDescription("Rounds in which the space of expired spans could not be given back."),
		metric.WithUnit("{round}"))
	if err != nil {
		return nil, err
	}
	return &storeExtension{cfg: cfg, openSpans: open, log: set.Logger, failures: failures}, nil
}

// Spans implements store.Provider; nil before Start.
func (e *storeExtension) Spans() store.Spans { return e.spans }

// Live implements store.Provider; nil before Start.
func (e *storeExtension) Live() *store.Live { return e.live }

// Start opens the stores, or none of them.
func (e *storeExtension) Start(ctx context.Context, _ component.Host) error {
	begun := time.Now()
	directory := e.cfg.Directory
	if absolute, err := filepath.Abs(directory); err == nil {
		directory = absolute // the working directory of a service is easily mistaken
	}
	if err := e.open(ctx); err != nil {
		return errors.Join(fmt.Errorf("open stores in %q: %w", directory, err), e.close())
	}
	e.keeper = startKeeper(e.cfg.ExpireInterval, e.keep)
	e.log.Info("stores are open", zap.String("directory", directory), zap.Duration("took", time.Since(begun)))
	return nil
}

func (e *storeExtension) open(ctx context.Context) (err error) {
	if e.control, err = openControl(ctx, e.cfg); err != nil {
		return err
	}
	if e.live, err = store.NewLive(ctx, e.control); err != nil {
		return err
	}
	e.spans, err = e.openSpans(ctx, e.cfg, func(message string, err error) {
		e.log.Warn("span store: "+message, zap.Error(err))
	})
	return err
}

// Shutdown closes what Start opened, in reverse.
func (e *storeExtension) Shutdown(context.Context) error {
	if e.keeper != nil {
		e.keeper.stop()
		e.keeper = nil
	}
	open := e.control != nil
	if err := e.close(); err != nil {
		return err
	}
	if open {
		e.log.Info("stores are closed")
	}
	return nil
}

func (e *storeExtension) close() error {
	var errs []error
	if e.spans != nil {
		errs = append(errs, e.spans.Close())
	}
	if e.control != nil {
		errs = append(errs, e.control.Close())
	}
	e.spans, e.live, e.control = nil, nil, nil
	return errors.Join(errs...)
}

// keep is one round of housekeeping.
func (e *storeExtension) keep(ctx context.Context) {
	if err := e.spans.Expire(ctx, time.Now()); err != nil && ctx.Err() == nil {
		e.failures.Add(ctx, 1)
		e.log.Error("space of expired spans was not given back", zap.Error(err))
	}
	if err := e.live.Heal(ctx); err != nil && ctx.Err() == nil {
		e.log.Error("control store gives no clear answer", zap.Error(err))
	}
}
