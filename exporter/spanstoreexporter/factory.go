// SPDX-License-Identifier: Apache-2.0

// Package spanstoreexporter writes stamped spans with their evaluations, the
// messages that came as log records, and evaluations made later of stored spans
// to the span store. The sender has its answer when they would survive a crash,
// not before.
package spanstoreexporter

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
)

// Type is how config.yaml names the component.
var Type = component.MustNewType("spanstore")

// NewFactory makes the factory of the exporter.
func NewFactory() exporter.Factory {
	return exporter.NewFactory(
		Type,
		func() component.Config { return &Config{Store: component.MustNewID("store"), ListPrices: true} },
		exporter.WithTraces(newTraces, component.StabilityLevelBeta),
		exporter.WithLogs(newLogs, component.StabilityLevelBeta),
	)
}

// No queue, no retries, no timeout: the span store groups the commits of
// concurrent senders. A sender gets the error when its data was not stored, and
// keeps the data. A commit that has begun is worth finishing.
func options(e *spanStoreExporter) []exporterhelper.Option {
	return []exporterhelper.Option{
		exporterhelper.WithStart(e.start),
		exporterhelper.WithCapabilities(consumer.Capabilities{MutatesData: false}),
		exporterhelper.WithTimeout(exporterhelper.TimeoutConfig{Timeout: 0}),
	}
}

func newTraces(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Traces, error) {
	e, err := newExporter(cfg.(*Config), &set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	return exporterhelper.NewTraces(ctx, set, cfg, e.pushTraces, options(e)...)
}

func newLogs(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Logs, error) {
	e, err := newExporter(cfg.(*Config), &set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	return exporterhelper.NewLogs(ctx, set, cfg, e.pushLogs, options(e)...)
}
