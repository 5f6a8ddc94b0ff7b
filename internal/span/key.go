// SPDX-License-Identifier: Apache-2.0

package span

import "time"

// Key says which span of an environment is meant.
type Key struct {
	TraceID TraceID
	SpanID  ID
	// Start is the span's, Unix nanoseconds, so that no one has to look for it in
	// all time; 0 where it is not known: then all spans of these ids are meant.
	Start int64
}

// Identity tells spans of one environment apart. Spans of the same ids are one
// span where their starts lie in the same ten minutes, and two where they do not:
// OTLP sets the start of a span once, so what is sent again has the same.
type Identity struct {
	TraceID TraceID
	SpanID  ID
	Bucket  Bucket
}

// Bucket counts the periods of BucketLength from the beginning of Unix time, those
// before it below zero.
type Bucket int32

// BucketLength is how long a bucket is.
const BucketLength = 10 * time.Minute

// BucketOf returns the bucket that a time in Unix nanoseconds lies in.
func BucketOf(t int64) Bucket {
	b := t / int64(BucketLength)
	if t < 0 && t%int64(BucketLength) != 0 {
		b--
	}
	return Bucket(b) // 64 bits of nanoseconds have 31 million buckets
}

// Bounds returns the first and the last time of a bucket, Unix nanoseconds.
func (b Bucket) Bounds() (first, last int64) {
	first = int64(b) * int64(BucketLength)
	return first, first + int64(BucketLength) - 1
}

// Key returns which span it is.
func (s *Span) Key() Key { return Key{TraceID: s.TraceID, SpanID: s.SpanID, Start: s.Start} }

// Identity returns the identity of the span that a key with a start means.
func (k Key) Identity() Identity {
	return Identity{TraceID: k.TraceID, SpanID: k.SpanID, Bucket: BucketOf(k.Start)}
}

// Means reports whether a key means the span of another key, whose start is known.
func (k Key) Means(o Key) bool {
	return k.TraceID == o.TraceID && k.SpanID == o.SpanID && (k.Start == 0 || BucketOf(k.Start) == BucketOf(o.Start))
}
