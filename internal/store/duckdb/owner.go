// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// owner is a span that evaluations belong to.
type owner struct {
	env   tenant.EnvironmentID
	trace span.TraceID
	span  span.ID
}

func ownerOf(l store.Location) owner {
	return owner{env: l.Environment, trace: l.Span.TraceID, span: l.Span.SpanID}
}

func ownerOfRecord(r *store.Record) owner {
	return owner{env: r.Environment.ID, trace: r.Span.TraceID, span: r.Span.SpanID}
}

// key returns the key of the span, which starts then.
func (o owner) key(start int64) span.Key {
	return span.Key{TraceID: o.trace, SpanID: o.span, Start: start}
}
