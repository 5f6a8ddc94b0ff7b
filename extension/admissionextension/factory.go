// SPDX-License-Identifier: Apache-2.0

// Package admissionextension is a middleware for the servers of the OTLP
// receiver: it knows who is calling before it reads a request, bounds what the
// request is unpacked to and what it holds before anything decodes it, and lets
// in as many requests at once as memory is there for.
//
// See docs/adr/0011-admission-and-memory-budget.md.
package admissionextension

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
)

// Type is how config.yaml names the component.
var Type = component.MustNewType("admission")

// NewFactory makes the factory of the extension.
func NewFactory() extension.Factory {
	return extension.NewFactory(Type, createDefaultConfig, create, component.StabilityLevelBeta)
}

func createDefaultConfig() component.Config {
	return &Config{
		RequestMiB: 64,
		MemoryMiB:  256,
		Wait:       2 * time.Second,
		RetryAfter: time.Second,
		StopWait:   3 * time.Second,
		Limits: Limits{
			Depth:      64,
			Attributes: 10_000,
			Values:     100_000,
			Events:     10_000,
			Links:      10_000,
			Records:    20_000,
			KeyBytes:   4 << 10,
			NameBytes:  1 << 20,
		},
	}
}

func create(_ context.Context, set extension.Settings, cfg component.Config) (extension.Extension, error) {
	return newExtension(cfg.(*Config), set.TelemetrySettings)
}
