// SPDX-License-Identifier: Apache-2.0

package duckdb

import (
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// owner is a span that evaluations belong to.
type owner struct {
	env  tenant.EnvironmentID
	span span.Identity
}

func ownerOf(l store.Location) owner {
	return owner{env: l.Environment, span: l.Span.Identity()}
}

func ownerOfRecord(r *store.Record) owner {
	return owner{env: r.Environment.ID, span: r.Span.Key().Identity()}
}
