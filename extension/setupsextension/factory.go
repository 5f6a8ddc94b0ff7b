// SPDX-License-Identifier: Apache-2.0

// Package setupsextension gives a sidecar the setups of its environment: it asks a
// gateway for them every few seconds and keeps them on disk, so that a sidecar judges
// also while the gateway is away.
package setupsextension

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/extension"
)

// Type is how config.yaml names the component.
var Type = component.MustNewType("setups")

// NewFactory makes the factory of the extension.
func NewFactory() extension.Factory {
	return extension.NewFactory(Type, createDefaultConfig, create, component.StabilityLevelBeta)
}

func createDefaultConfig() component.Config {
	http := confighttp.NewDefaultClientConfig()
	http.Timeout = 10 * time.Second
	return &Config{HTTP: http, File: "./data/setups.json", Interval: 5 * time.Second, MaxInterval: time.Minute}
}

func create(_ context.Context, set extension.Settings, cfg component.Config) (extension.Extension, error) {
	return newExtension(cfg.(*Config), set.TelemetrySettings)
}
