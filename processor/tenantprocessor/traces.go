// SPDX-License-Identifier: Apache-2.0

package tenantprocessor

import (
	"context"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processorhelper"
	"go.opentelemetry.io/otel/metric"

	"github.com/touchstone-otel/touchstone/internal/partial"
)

// tracesProcessor stamps traces, and refuses spans that cannot be stored.
type tracesProcessor struct {
	cutter   *cutter
	rejected metric.Int64Counter
}

func newTracesProcessor(cfg *Config, meters metric.MeterProvider) (*tracesProcessor, error) {
	rejected, err := meters.Meter(scope).Int64Counter(
		"touchstone_tenant_rejected_spans",
		metric.WithDescription("Spans that were refused because they have no valid trace id or span id, while the rest of their request was taken."),
		metric.WithUnit("{span}"))
	if err != nil {
		return nil, err
	}
	rejected.Add(context.Background(), 0) // so that the series is there before anything happens
	cutter, err := cfg.cutter(meters)
	return &tracesProcessor{cutter: cutter, rejected: rejected}, err
}

// noID is told to the sender of a span without an id.
const noID = "spans without a valid trace id of 16 bytes and span id of 8 bytes, not all zero, were refused"

// process refuses the spans that have no trace id or no span id: they are what
// a span is stored under, and all zero they are invalid. The rest of the request
// passes.
// https://www.w3.org/TR/trace-context/#trace-id
func (p *tracesProcessor) process(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	td, err := p.cutter.processTraces(ctx, td)
	if err != nil {
		return td, err
	}
	n := dropWithoutID(td)
	if n == 0 {
		return td, nil
	}
	p.rejected.Add(ctx, int64(n))
	partial.Reject(ctx, n, noID)
	if td.SpanCount() == 0 {
		return td, processorhelper.ErrSkipProcessingData
	}
	return td, nil
}

// dropWithoutID removes spans without an id, and returns how many there were.
func dropWithoutID(td ptrace.Traces) int {
	n := 0
	invalid := func(s ptrace.Span) bool { return s.TraceID().IsEmpty() || s.SpanID().IsEmpty() }
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				if invalid(s) {
					before := ss.Spans().Len()
					ss.Spans().RemoveIf(invalid)
					n += before - ss.Spans().Len()
					break
				}
			}
		}
	}
	return n
}
