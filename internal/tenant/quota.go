// SPDX-License-Identifier: Apache-2.0

package tenant

// Quota is what one environment may take of the service. A field that is 0 is
// the default of the collector, and where that is 0 too, without a bound.
type Quota struct {
	// SpansPerSecond and BytesPerSecond bound telemetry: spans, log records and
	// data points, and the bytes of requests once they are unpacked.
	SpansPerSecond int64 `json:"spans_per_second,omitempty"`
	BytesPerSecond int64 `json:"bytes_per_second,omitempty"`
	// ConcurrentQueries is how many requests to the API may be under way at once.
	ConcurrentQueries int64 `json:"concurrent_queries,omitempty"`
}

// Or returns the quota with the fields of defaults where its own are 0.
func (q Quota) Or(defaults Quota) Quota {
	for _, f := range []struct {
		own      *int64
		fallback int64
	}{
		{&q.SpansPerSecond, defaults.SpansPerSecond},
		{&q.BytesPerSecond, defaults.BytesPerSecond},
		{&q.ConcurrentQueries, defaults.ConcurrentQueries},
	} {
		if *f.own == 0 {
			*f.own = f.fallback
		}
	}
	return q
}
