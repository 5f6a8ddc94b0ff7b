// SPDX-License-Identifier: Apache-2.0

// Package keyauthextension authenticates the callers of OTLP and the API: it turns the
// Bearer credential of a request into the tenant.Principal who holds it.
//
// See docs/adr/0019-api-keys-and-deletion.md.
package keyauthextension

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
)

// Type is how config.yaml names the component.
var Type = component.MustNewType("keyauth")

// NewFactory makes the factory of the extension.
func NewFactory() extension.Factory {
	return extension.NewFactory(Type, createDefaultConfig, create, component.StabilityLevelBeta)
}

func createDefaultConfig() component.Config {
	return &Config{Store: component.MustNewID("store"), AccessTokenFile: "./data/access_token"}
}

func create(_ context.Context, set extension.Settings, cfg component.Config) (extension.Extension, error) {
	return newExtension(cfg.(*Config), set.TelemetrySettings)
}
