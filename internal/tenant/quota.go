// SPDX-License-Identifier: Apache-2.0

package tenant

import "cmp"

// Quota is what one environment may take of the service. A field that is 0 is
// the default of the collector, and where that is 0 too, without a bound.
type Quota struct {
	_ struct{} `doc:"What the environment may take; what is not there has no bound of its own."`

	SpansPerSecond    int64   `json:"spans_per_second,omitempty" doc:"Spans, log records and data points a second." schema:"minimum=1"`
	BytesPerSecond    int64   `json:"bytes_per_second,omitempty" doc:"Bytes of telemetry a second, once requests are unpacked." schema:"minimum=1"`
	ConcurrentQueries int64   `json:"concurrent_queries,omitempty" doc:"Requests to the API that may be under way at once." schema:"minimum=1"`
	StoredBytes       int64   `json:"stored_bytes,omitempty" doc:"Bytes that may be stored, on disk." schema:"minimum=1"`
	OwedEvaluations   int64   `json:"owed_evaluations,omitempty" doc:"Evaluations that may wait." schema:"minimum=1"`
	DollarsPerDay     float64 `json:"dollars_per_day,omitempty" doc:"US dollars that models may cost from 00:00 UTC on." schema:"exclusiveMinimum=0"`
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
