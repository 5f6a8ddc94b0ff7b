// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"encoding/binary"

	"github.com/touchstone-otel/touchstone/internal/span"
)

// Key is what identifies a row of spans, or the span that a row of messages
// belongs to, as its partition has it: the code of the environment, the halves of
// the trace id, and the id of the span, as numbers that sort as the bytes do.
type Key struct {
	Env        int32
	Hi, Lo, ID int64
}

// KeyOf returns the key of a span of an environment that has this code.
func KeyOf(code int32, trace span.TraceID, id span.ID) Key {
	return Key{Env: code, Hi: Signed(trace[:8]), Lo: Signed(trace[8:]), ID: Signed(id[:])}
}

// TraceID returns the trace id of the key.
func (k Key) TraceID() (t span.TraceID) {
	unsigned(t[:8], k.Hi)
	unsigned(t[8:], k.Lo)
	return t
}

// SpanID returns the span id of the key.
func (k Key) SpanID() (id span.ID) {
	unsigned(id[:], k.ID)
	return id
}

// Signed returns eight bytes as a number that sorts as they do.
func Signed(b []byte) int64 {
	return int64(binary.BigEndian.Uint64(b) ^ 1<<63)
}

// unsigned puts a number that Signed made back into eight bytes.
func unsigned(b []byte, n int64) {
	binary.BigEndian.PutUint64(b, uint64(n)^1<<63)
}
