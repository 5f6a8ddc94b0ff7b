// SPDX-License-Identifier: Apache-2.0

// Package backlogreceiver brings stored spans back into a pipeline: those on
// which evaluations are still pending, leased so that no other process evaluates them
// meanwhile, and those of a backfill. Nothing it hands out is lost: what the
// pipeline does not take is pending as before.
//
// See docs/adr/0009-pending-evaluations-in-the-store.md.
package backlogreceiver

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/receiver"

	"github.com/touchstone-otel/touchstone/internal/evaluators"
)

// Type is how config.yaml names the component.
var Type = component.MustNewType("backlog")

// NewFactory makes the factory of the receiver.
func NewFactory() receiver.Factory {
	return receiver.NewFactory(Type, createDefaultConfig, receiver.WithTraces(newTraces, component.StabilityLevelBeta))
}

func newTraces(_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Traces) (receiver.Traces, error) {
	return newReceiver(cfg.(*Config), evaluators.Catalog(), set, next)
}
