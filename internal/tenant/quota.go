// SPDX-License-Identifier: Apache-2.0

package tenant

import "cmp"

// Quota is what one environment may take of the service. A field that is 0 is
// the default of the collector, and where that is 0 too, without a bound.
type Quota struct {
	// SpansPerSecond and BytesPerSecond bound telemetry: spans, log records and
	// data points, and the bytes of requests once they are unpacked.
	SpansPerSecond int64 `json:"spans_per_second,omitempty"`
	BytesPerSecond int64 `json:"bytes_per_second,omitempty"`
	// ConcurrentQueries is how many requests to the API may be under way at once.
	ConcurrentQueries int64 `json:"concurrent_queries,omitempty"`
	// StoredBytes is how much may be stored, on disk, and OwedEvaluations how many
	// evaluations may wait, before telemetry is refused.
	StoredBytes     int64 `json:"stored_bytes,omitempty"`
	OwedEvaluations int64 `json:"owed_evaluations,omitempty"`
	// DollarsPerDay is what models may cost from 00:00 UTC on.
	DollarsPerDay float64 `json:"dollars_per_day,omitempty"`
}

// Or returns the quota with the fields of defaults where its own are 0.
func (q Quota) Or(defaults Quota) Quota {
	return Quota{
		SpansPerSecond:    cmp.Or(q.SpansPerSecond, defaults.SpansPerSecond),
		BytesPerSecond:    cmp.Or(q.BytesPerSecond, defaults.BytesPerSecond),
		ConcurrentQueries: cmp.Or(q.ConcurrentQueries, defaults.ConcurrentQueries),
		StoredBytes:       cmp.Or(q.StoredBytes, defaults.StoredBytes),
		OwedEvaluations:   cmp.Or(q.OwedEvaluations, defaults.OwedEvaluations),
		DollarsPerDay:     cmp.Or(q.DollarsPerDay, defaults.DollarsPerDay),
	}
}
