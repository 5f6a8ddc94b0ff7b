// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"time"

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

// known is what a partition knows of an environment by its code.
type known struct {
	id        tenant.EnvironmentID
	retention time.Duration
}

// owners returns the environments by their codes.
func (p *partition) owners() map[int32]known {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make(map[int32]known, len(p.envs))
	for id, b := range p.envs {
		list[b.code] = known{id: id, retention: b.retention}
	}
	return list
}

// owes returns how many evaluations a partition has that are deferred.
func (p *partition) owes() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.owed
}

// lastTime returns a time that no evaluation is later than.
func (p *partition) lastTime() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.latest
}

// mayHave reports whether a span that starts then, or about then, can be among
// those that are bounded; 0 is any start.
func (b *bounds) mayHave(start int64) bool {
	return b.spans > 0 && (start == 0 || after(start, slack) >= b.min && start <= after(b.max, slack))
}
