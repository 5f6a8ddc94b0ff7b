// SPDX-License-Identifier: Apache-2.0

// Package verdictsamplingprocessor keeps a share of traces that depends on the verdicts
// on their spans, say all failures and a twentieth of the rest, and writes on each span
// that it keeps how likely that was, so that totals can still be computed. Decisions
// follow the specification of consistent probability sampling.
//
// https://opentelemetry.io/docs/specs/otel/trace/tracestate-probability-sampling/
//
// See docs/adr/0056-sampling-by-result.md.
package verdictsamplingprocessor

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/processor"
)

// Type is how config.yaml names the component.
var Type = component.MustNewType("verdict_sampling")

// NewFactory makes the factory of the processor.
func NewFactory() processor.Factory {
	return processor.NewFactory(Type, createDefaultConfig, processor.WithTraces(newTraces, component.StabilityLevelBeta))
}

func newTraces(_ context.Context, set processor.Settings, cfg component.Config, next consumer.Traces) (processor.Traces, error) {
	return newSampler(cfg.(*Config), set, next)
}
