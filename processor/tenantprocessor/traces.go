// SPDX-License-Identifier: Apache-2.0

package tenantprocessor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processorhelper"
	"go.opentelemetry.io/otel/metric"

	"github.com/touchstone-otel/touchstone/internal/partial"
)

// tracesProcessor stamps traces, refuses spans that cannot be stored, and warns of
// those that no one will see.
type tracesProcessor struct {
	cutter            *cutter
	rejected, expired metric.Int64Counter
}

func newTracesProcessor(cfg *Config, meters metric.MeterProvider) (*tracesProcessor, error) {
	meter := meters.Meter(scope)
	counter := func(name, description string) (metric.Int64Counter, error) {
		c, err := meter.Int64Counter(name, metric.WithDescription(description), metric.WithUnit("{span}"))
		if err == nil {
			c.Add(context.Background(), 0) // so that the series is there before anything happens
		}
		return c, err
	}
	rejected, err1 := counter("touchstone_tenant_rejected_spans",
		"Spans that were refused because they have no valid trace id or span id, while the rest of their request was taken.")
	expired, err2 := counter("touchstone_tenant_expired_spans",
		"Spans that were taken although they started longer ago than their environment keeps spans: no answer shows them.")
	cutter, err3 := cfg.cutter(meters)
	return &tracesProcessor{cutter: cutter, rejected: rejected, expired: expired}, errors.Join(err1, err2, err3)
}

// noID is the error for the sender of a span without an id.
const noID = "spans without a valid trace id of 16 bytes and span id of 8 bytes, not all zero, were refused"

// tooOld returns the warning for the sender of n spans that are past their retention.
func tooOld(n int, retention time.Duration) string {
	return fmt.Sprintf("%d of the spans started longer ago than the %d hours for which their environment keeps spans: they are taken, but never shown (is the sender's clock right?)",
		n, int64(retention/time.Hour))
}

// process refuses the spans that have no trace id or no span id: they are what
// a span is stored under, and all zero they are invalid. The rest of the request
// passes.
// https://www.w3.org/TR/trace-context/#trace-id
//
// Spans that are past the retention of their environment pass, too, since the clock
// that says so may be ours, and be set right later; their sender gets a warning.
func (p *tracesProcessor) process(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	td, err := p.cutter.processTraces(ctx, td)
	if err != nil {
		return td, err
	}
	if n := dropWithoutID(td); n > 0 {
		p.rejected.Add(ctx, int64(n))
		partial.Reject(ctx, n, noID)
		if td.SpanCount() == 0 {
			return td, processorhelper.ErrSkipProcessingData
		}
	}
	caller, err := callerOf(ctx)
	if err != nil {
		return td, err
	}
	if retention := caller.Environment.Retention; retention > 0 {
		if n := startedBefore(td, pcommon.NewTimestampFromTime(time.Now().Add(-retention))); n > 0 {
			p.expired.Add(ctx, int64(n))
			partial.Warn(ctx, tooOld(n, retention))
		}
	}
	return td, nil
}

// startedBefore returns how many spans started before t.
func startedBefore(td ptrace.Traces, t pcommon.Timestamp) int {
	n := 0
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				if s.StartTimestamp() < t {
					n++
				}
			}
		}
	}
	return n
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
