// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/extension"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/operations"
	"github.com/touchstone-otel/touchstone/internal/connbound"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
)

const (
	defaultEndpoint      = "127.0.0.1:8080"
	defaultMaxBody       = 4 << 20
	defaultHeaderTimeout = 5 * time.Second
	defaultReadTimeout   = 30 * time.Second
	defaultTimeout       = 25 * time.Second
	defaultExecution     = 110 * time.Second
	defaultDegraded      = 3 * time.Minute
	defaultError         = 10 * time.Minute
)

// NewFactory makes the factory of the extension "api".
func NewFactory() extension.Factory {
	return extension.NewFactory(component.MustNewType("api"), createDefaultConfig, create, component.StabilityLevelBeta)
}

func createDefaultConfig() component.Config {
	http := confighttp.NewDefaultServerConfig()
	http.NetAddr.Endpoint = defaultEndpoint
	http.MaxRequestBodySize = defaultMaxBody
	http.ReadHeaderTimeout = defaultHeaderTimeout
	http.ReadTimeout = defaultReadTimeout
	return &Config{
		HTTP:           http,
		Connections:    connbound.Config{Max: 1024, PerAddress: 512},
		Store:          component.MustNewID("store"),
		Auth:           component.MustNewID("keyauth"),
		RequestTimeout: defaultTimeout,

		ExecutionTimeout: defaultExecution,

		Monitoring: operations.MonitoringConfig{DegradedAfter: defaultDegraded, ErrorAfter: defaultError},
		Audit:      AuditConfig{MaxMiB: 10, Files: 5},
		Alerts:     AlertsConfig{Enabled: true},

		ChangesPerSecond: 20,
		TrustedProxies:   []string{"127.0.0.0/8", "::1"},

		Warm: []string{"prompt-perplexity"},
	}
}

func create(_ context.Context, set extension.Settings, cfg component.Config) (extension.Extension, error) {
	e := newAPIExtension(cfg.(*Config), set.TelemetrySettings, evaluators.Catalog())
	e.version = set.BuildInfo.Version
	return e, nil
}
