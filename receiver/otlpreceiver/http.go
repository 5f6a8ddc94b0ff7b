// SPDX-License-Identifier: Apache-2.0

package otlpreceiver

import (
	"context"
	"net"
	"net/http"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/touchstone-otel/touchstone/internal/connbound"
)

// listenHTTP serves the signals that pipelines have.
func (r *otlp) listenHTTP(ctx context.Context, host component.Host) error {
	cfg := r.cfg.Protocols.HTTP.Get()
	routes := http.NewServeMux()
	if r.nextTraces != nil {
		to := &traces{next: r.nextTraces, reports: r.httpReports}
		routes.Handle(string(cfg.TracesURLPath), handler(ptraceotlp.NewExportRequest, to.Export))
	}
	if r.nextLogs != nil {
		to := &logs{next: r.nextLogs, traces: r.nextTraces, reports: r.httpReports}
		routes.Handle(string(cfg.LogsURLPath), handler(plogotlp.NewExportRequest, to.Export))
	}
	if r.nextMetrics != nil {
		to := &metrics{next: r.nextMetrics, reports: r.httpReports}
		routes.Handle(string(cfg.MetricsURLPath), handler(pmetricotlp.NewExportRequest, to.Export))
	}
	server, err := cfg.ServerConfig.ToServer(ctx, host.GetExtensions(), r.set.TelemetrySettings, routes, confighttp.WithErrorHandler(refuse))
	if err != nil {
		return err
	}
	l, err := r.listener(ctx, &cfg.ServerConfig)
	if err != nil {
		return err
	}
	r.http = server
	r.serve(host, "HTTP", func() error { return server.Serve(l) })
	return nil
}

// listener listens for as many connections as there may be.
func (r *otlp) listener(ctx context.Context, cfg *confighttp.ServerConfig) (net.Listener, error) {
	plain, err := cfg.NetAddr.Listen(ctx)
	if err != nil {
		return nil, err
	}
	l, err := r.bound("http", plain)
	if err != nil {
		return nil, err
	}
	return connbound.Secure(ctx, l, cfg)
}
