// SPDX-License-Identifier: Apache-2.0

// Package tenantprocessor says whose data passes: it stamps the environment of
// the authenticated caller on each resource and takes off whatever a client
// wrote under names that only we may write. Data without an environment is
// refused.
package tenantprocessor

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"
)

// Type is how config.yaml names the component.
var Type = component.MustNewType("tenant")

// NewFactory makes the factory of the processor.
func NewFactory() processor.Factory {
	return processor.NewFactory(
		Type,
		createDefaultConfig,
		processor.WithTraces(newTraces, component.StabilityLevelBeta),
		processor.WithLogs(newLogs, component.StabilityLevelBeta),
		processor.WithMetrics(newMetrics, component.StabilityLevelBeta),
	)
}

func createDefaultConfig() component.Config { return &Config{MaxValueBytes: 1 << 20} }

func writes() processorhelper.Option {
	return processorhelper.WithCapabilities(consumer.Capabilities{MutatesData: true})
}

func newTraces(ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Traces) (processor.Traces, error) {
	p, err := newTracesProcessor(cfg.(*Config), set.MeterProvider)
	if err != nil {
		return nil, err
	}
	return processorhelper.NewTraces(ctx, set, cfg, next, p.process, writes())
}

func newLogs(ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Logs) (processor.Logs, error) {
	c, err := cfg.(*Config).cutter(set.MeterProvider)
	if err != nil {
		return nil, err
	}
	return processorhelper.NewLogs(ctx, set, cfg, next, c.processLogs, writes())
}

func newMetrics(ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Metrics) (processor.Metrics, error) {
	return processorhelper.NewMetrics(ctx, set, cfg, next, processMetrics, writes())
}
