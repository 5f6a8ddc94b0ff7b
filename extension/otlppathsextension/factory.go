// SPDX-License-Identifier: Apache-2.0

// Package otlppathsextension is a middleware for the HTTP server of the OTLP
// receiver: it makes the spellings of the OTLP paths that SDKs are known to
// produce mean the same as the standard ones, and hands what such SDKs want of
// the API at the same base URL to the API.
package otlppathsextension

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
)

// Type is how config.yaml names the component.
var Type = component.MustNewType("otlp_paths")

// NewFactory makes the factory of the extension.
func NewFactory() extension.Factory {
	return extension.NewFactory(Type, createDefaultConfig, create, component.StabilityLevelBeta)
}

func createDefaultConfig() component.Config { return &Config{} }

func create(_ context.Context, set extension.Settings, cfg component.Config) (extension.Extension, error) {
	return &otlpPaths{cfg: cfg.(*Config), log: set.Logger}, nil
}
