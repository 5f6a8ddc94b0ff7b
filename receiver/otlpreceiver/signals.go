// SPDX-License-Identifier: Apache-2.0

package otlpreceiver

import (
	"context"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.opentelemetry.io/collector/receiver/receiverhelper"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/touchstone-otel/touchstone/internal/genai/agentlogs"
	"github.com/touchstone-otel/touchstone/internal/partial"
)

// format is what the receiver's metrics call what comes.
const format = "protobuf"

// traces, logs and metrics hand what they are sent to a pipeline. They are the
// services of gRPC, and what handlers of HTTP call.
type (
	traces struct {
		ptraceotlp.UnimplementedGRPCServer
		next    consumer.Traces
		reports *receiverhelper.ObsReport
	}
	logs struct {
		plogotlp.UnimplementedGRPCServer
		next    consumer.Logs
		traces  consumer.Traces // takes in spans that agents report as log events, nil for none
		reports *receiverhelper.ObsReport
	}
	metrics struct {
		pmetricotlp.UnimplementedGRPCServer
		next    consumer.Metrics
		reports *receiverhelper.ObsReport
	}
)

// Export takes in spans.
func (s *traces) Export(ctx context.Context, q ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	n := q.Traces().SpanCount()
	if n == 0 {
		return ptraceotlp.NewExportResponse(), nil
	}
	ctx = s.reports.StartTracesOp(ctx)
	err := s.next.ConsumeTraces(ctx, q.Traces())
	s.reports.EndTracesOp(ctx, format, n, err)
	return ptraceotlp.NewExportResponse(), statusOf(err)
}

// Export takes in log records.
func (s *logs) Export(ctx context.Context, q plogotlp.ExportRequest) (plogotlp.ExportResponse, error) {
	n := q.Logs().LogRecordCount()
	if n == 0 {
		return plogotlp.NewExportResponse(), nil
	}
	ctx = s.reports.StartLogsOp(ctx)
	err := s.consume(ctx, q.Logs())
	s.reports.EndLogsOp(ctx, format, n, err)
	return plogotlp.NewExportResponse(), statusOf(err)
}

// consume hands spans that coding agents report as log events to the pipeline of spans, and
// the other records on. Records sent again become the same spans, so that the sender may
// repeat all of a request of which a part failed.
func (s *logs) consume(ctx context.Context, ld plog.Logs) error {
	if s.traces != nil {
		spans, refused := agentlogs.Spans(ld)
		for reason, n := range refused {
			partial.Reject(ctx, n, reason)
		}
		if spans.SpanCount() > 0 {
			if err := s.traces.ConsumeTraces(ctx, spans); err != nil {
				return err
			}
		}
	}
	if ld.LogRecordCount() == 0 {
		return nil
	}
	return s.next.ConsumeLogs(ctx, ld)
}

// Export takes in data points.
func (s *metrics) Export(ctx context.Context, q pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	n := q.Metrics().DataPointCount()
	if n == 0 {
		return pmetricotlp.NewExportResponse(), nil
	}
	ctx = s.reports.StartMetricsOp(ctx)
	err := s.next.ConsumeMetrics(ctx, q.Metrics())
	s.reports.EndMetricsOp(ctx, format, n, err)
	return pmetricotlp.NewExportResponse(), statusOf(err)
}

// statusOf returns a pipeline's error as OTLP tells it: what is permanent is not
// to be sent again, all else may be.
// https://opentelemetry.io/docs/specs/otlp/#failures
func statusOf(err error) error {
	if err == nil {
		return nil
	}
	if s, ok := status.FromError(err); ok {
		return s.Err()
	}
	if consumererror.IsPermanent(err) {
		return status.Error(codes.Internal, err.Error())
	}
	return status.Error(codes.Unavailable, err.Error())
}
