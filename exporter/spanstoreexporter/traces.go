// SPDX-License-Identifier: Apache-2.0

package spanstoreexporter

import (
	"context"
	"math"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// pushTraces writes spans that arrive, and completes the evaluations of those
// that are stored already. Both may be done again after an error of the other.
func (e *spanStoreExporter) pushTraces(ctx context.Context, td ptrace.Traces) error {
	var records []store.Record
	var completed []store.Evaluated
	var told toldOpinions
	for _, rs := range td.ResourceSpans().All() {
		env, err := e.environment(rs.Resource())
		if err != nil {
			return err
		}
		if deferred(rs.Resource()) {
			completed = appendCompleted(completed, env, rs)
			continue
		}
		if records == nil {
			records = make([]store.Record, 0, td.SpanCount())
		}
		records = e.appendRecords(records, env, rs)
		told.linked(env, rs)
	}
	if len(records) > 0 {
		if _, err := e.spans.Write(ctx, store.Batch{Records: records}); err != nil {
			return e.answer(err)
		}
	}
	if len(completed) > 0 {
		if err := e.backlog.Complete(ctx, completed); err != nil {
			return e.answer(err)
		}
	}
	return e.answer(e.take(ctx, &told))
}

// deferred reports whether the spans of a resource are stored already.
func deferred(r pcommon.Resource) bool {
	v, ok := r.Attributes().Get(tenant.AttributeDeferred)
	return ok && v.Type() == pcommon.ValueTypeBool && v.Bool()
}

// appendRecords adds the spans of a resource, as they arrive now.
func (e *spanStoreExporter) appendRecords(records []store.Record, env tenant.Environment, rs ptrace.ResourceSpans) []store.Record {
	resource := genai.NewResource(rs.Resource())
	now := time.Now().UnixNano()
	costs := e.pricesOf(&env)
	for _, ss := range rs.ScopeSpans().All() {
		for _, s := range ss.Spans().All() {
			r := store.Record{
				Environment: env,
				Span:        genai.FromOTLP(resource, ss.Scope(), s),
				Evaluations: monitor.Carried(s.Attributes()),
			}
			r.Span.Arrived = now
			costs.Fill(&r.Span)
			records = append(records, r)
		}
	}
	return records
}

// appendCompleted takes the spans that carry evaluations; the others only
// came along to be looked at.
func appendCompleted(completed []store.Evaluated, env tenant.Environment, rs ptrace.ResourceSpans) []store.Evaluated {
	for _, ss := range rs.ScopeSpans().All() {
		for _, s := range ss.Spans().All() {
			made := monitor.Carried(s.Attributes())
			if len(made) == 0 {
				continue
			}
			completed = append(completed, store.Evaluated{
				Environment: env.ID,
				Span: span.Key{
					TraceID: span.TraceID(s.TraceID()), SpanID: span.ID(s.SpanID()), Start: int64(min(s.StartTimestamp(), math.MaxInt64)),
				},
				Content:     monitor.CarriedContent(s.Attributes()),
				Evaluations: made,
			})
		}
	}
	return completed
}
