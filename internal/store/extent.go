// SPDX-License-Identifier: Apache-2.0

package store

import "github.com/touchstone-otel/touchstone/internal/tenant"

// Extent is about how much is stored.
type Extent struct {
	Spans int64
	Bytes int64 // on disk
	// First and Last are about between which starts that is, where there is any.
	First, Last int64
}

// Measurer is an engine that knows without reading how much it has.
type Measurer interface {
	// Spans returns how many spans of an environment are stored, past their
	// retention or not, from memory alone.
	Spans(env tenant.EnvironmentID) int64
	// Extent returns about how much of an environment is stored whose spans
	// started from one time to another, Unix nanoseconds, both inclusive.
	Extent(env tenant.EnvironmentID, from, to int64) Extent
}
