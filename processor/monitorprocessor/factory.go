// SPDX-License-Identifier: Apache-2.0

// Package monitorprocessor judges spans as they pass: it matches them against
// the live monitors of their environment and runs the evaluators that compute
// locally right there. What needs a model is deferred, and judged by the same
// processor in another pipeline, when it comes there out of the backlog. The
// verdicts travel on the span. Where a setup asks for it, what evaluators find is taken out
// of spans and log records before anybody else sees them.
//
// See docs/adr/0053-mask-content-before-the-store.md.
package monitorprocessor

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"

	"github.com/touchstone-otel/touchstone/internal/evaluators"
)

// Type is how config.yaml names the component.
var Type = component.MustNewType("monitor")

// NewFactory makes the factory of the processor.
func NewFactory() processor.Factory {
	return processor.NewFactory(Type, createDefaultConfig, processor.WithTraces(newTraces, component.StabilityLevelBeta),
		processor.WithLogs(newLogs, component.StabilityLevelBeta))
}

func newLogs(
	ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Logs,
) (processor.Logs, error) {
	p, err := newProcessor(cfg.(*Config), evaluators.Catalog(), set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	p.logs = true
	return processorhelper.NewLogs(ctx, set, cfg, next, p.processLogs,
		processorhelper.WithCapabilities(consumer.Capabilities{MutatesData: true}),
		processorhelper.WithStart(p.start),
		processorhelper.WithShutdown(p.shutdown))
}

func newTraces(
	ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Traces,
) (processor.Traces, error) {
	p, err := newProcessor(cfg.(*Config), evaluators.Catalog(), set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	return processorhelper.NewTraces(ctx, set, cfg, next, p.processTraces,
		processorhelper.WithCapabilities(consumer.Capabilities{MutatesData: true}),
		processorhelper.WithStart(p.start),
		processorhelper.WithShutdown(p.shutdown))
}
