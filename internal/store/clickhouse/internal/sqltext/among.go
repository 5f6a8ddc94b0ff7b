// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"

	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// keyLength is how many bytes say which span is meant: which environment of a list,
// the bucket, and the ids.
const keyLength = 8 + 8 + 16 + 8

// Among returns the condition that a row belongs to one of these spans. They are
// one literal, however many: thousands of them would take the server longer to read
// than to find.
func Among(list []store.Owner) string {
	if len(list) == 0 {
		return Never
	}
	var environments []string
	places := map[string]uint64{}
	bytes := make([]byte, 0, len(list)*keyLength)
	for _, o := range list {
		env := string(o.Environment)
		if places[env] == 0 {
			environments = append(environments, env)
			places[env] = uint64(len(environments))
		}
		bytes = binary.LittleEndian.AppendUint64(bytes, places[env])
		bytes = binary.LittleEndian.AppendUint64(bytes, uint64(o.Span.Bucket)) // the bits of a number that may be negative
		bytes = append(bytes, o.Span.TraceID[:]...)
		bytes = append(bytes, o.Span.SpanID[:]...)
	}
	at := func(offset, length int) string {
		return "substring(keys, n * " + strconv.Itoa(keyLength) + " + " + strconv.Itoa(offset+1) + ", " + strconv.Itoa(length) + ")"
	}
	return "(env, bucket, trace, id) IN (SELECT [" + Literals(environments) + "][reinterpretAsUInt64(" + at(0, 8) + ")], " +
		"reinterpretAsInt64(" + at(8, 8) + "), toFixedString(" + at(16, 16) + ", 16), toFixedString(" + at(32, 8) + ", 8) " +
		"FROM (SELECT unhex('" + hex.EncodeToString(bytes) + "') AS keys, arrayJoin(range(" + strconv.Itoa(len(list)) + ")) AS n))"
}

// InTraces returns the condition that a row belongs to one of these traces.
func InTraces(list []span.TraceID) string {
	bytes := make([]byte, 0, len(span.TraceID{})*len(list))
	for _, id := range list {
		bytes = append(bytes, id[:]...)
	}
	return inIDs("trace", len(span.TraceID{}), bytes)
}

// HasID returns the condition that the id of a row is that of one of these spans,
// whatever its trace.
func HasID(list []span.Key) string {
	bytes := make([]byte, 0, len(span.ID{})*len(list))
	for _, k := range list {
		bytes = append(bytes, k.SpanID[:]...)
	}
	return inIDs("id", len(span.ID{}), bytes)
}

// inIDs returns the condition that a column has one of the ids, of some length, that
// follow one another.
func inIDs(column string, length int, ids []byte) string {
	if len(ids) == 0 {
		return Never
	}
	n := strconv.Itoa(length)
	return column + " IN (SELECT toFixedString(substring(keys, n * " + n + " + 1, " + n + "), " + n + ") FROM (SELECT unhex('" + hex.EncodeToString(ids) +
		"') AS keys, arrayJoin(range(" + strconv.Itoa(len(ids)/length) + ")) AS n))"
}

// AmongIDs returns the condition that a row has the ids of one of these spans,
// whenever it started.
func AmongIDs(list []store.Owner) string {
	if len(list) == 0 {
		return Never
	}
	bytes := make([]byte, 0, 24*len(list))
	for _, o := range list {
		bytes = append(bytes, o.Span.TraceID[:]...)
		bytes = append(bytes, o.Span.SpanID[:]...)
	}
	return "(trace, id) IN (SELECT toFixedString(substring(keys, n * 24 + 1, 16), 16), toFixedString(substring(keys, n * 24 + 17, 8), 8) " +
		"FROM (SELECT unhex('" + hex.EncodeToString(bytes) + "') AS keys, arrayJoin(range(" + strconv.Itoa(len(list)) + ")) AS n))"
}
