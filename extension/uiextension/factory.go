// SPDX-License-Identifier: Apache-2.0

// Package uiextension serves the web UI: a middleware for the HTTP server of
// the API, which hands out the built pages, keeps sessions in sealed cookies,
// and lets a session's own pages call the API with the key of the session.
//
// See docs/adr/0026-web-ui-build-and-sessions.md.
package uiextension

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
)

// Type is how config.yaml names the component.
var Type = component.MustNewType("ui")

const defaultLifetime = 12 * time.Hour

// NewFactory makes the factory of the extension.
func NewFactory() extension.Factory {
	return extension.NewFactory(Type, createDefaultConfig, create, component.StabilityLevelBeta)
}

func createDefaultConfig() component.Config {
	return &Config{
		Store: component.MustNewID("store"), Auth: component.MustNewID("keyauth"),
		Path: "/ui", SessionLifetime: defaultLifetime, SecureCookie: secureAuto,
	}
}

func create(_ context.Context, _ extension.Settings, cfg component.Config) (extension.Extension, error) {
	return &uiExtension{cfg: cfg.(*Config), now: time.Now}, nil
}
