// SPDX-License-Identifier: Apache-2.0

package otlpreceiver

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// listenGRPC serves the signals that pipelines have. TLS is above the bounds: grpc-go
// makes the handshake on connections that it was given.
func (r *otlp) listenGRPC(ctx context.Context, host component.Host) error {
	cfg := r.cfg.Protocols.GRPC.Get()
	server, err := cfg.ToServer(ctx, host.GetExtensions(), r.set.TelemetrySettings)
	if err != nil {
		return err
	}
	if r.nextTraces != nil {
		ptraceotlp.RegisterGRPCServer(server, &traces{next: r.nextTraces, reports: r.grpcReports})
	}
	if r.nextLogs != nil {
		plogotlp.RegisterGRPCServer(server, &logs{next: r.nextLogs, traces: r.nextTraces, reports: r.grpcReports})
	}
	if r.nextMetrics != nil {
		pmetricotlp.RegisterGRPCServer(server, &metrics{next: r.nextMetrics, reports: r.grpcReports})
	}
	plain, err := cfg.NetAddr.Listen(ctx)
	if err != nil {
		return err
	}
	l, err := r.bound("grpc", plain)
	if err != nil {
		return err
	}
	r.grpc = server
	r.serve(host, "gRPC", func() error { return server.Serve(l) })
	return nil
}
