// SPDX-License-Identifier: Apache-2.0

package span

import "crypto/rand"

// selfMark begins the trace ids of our own calls of models: "touchsto". The
// random half is the right one, by which samplers decide.
var selfMark = [8]byte{0x74, 0x6f, 0x75, 0x63, 0x68, 0x73, 0x74, 0x6f}

// NewSelfTraceID returns the id of a trace of one of our own calls of a model: a
// fixed mark and 8 random bytes. Spans of such a trace are never judged, or
// judging would make work for the judge without end.
func NewSelfTraceID() TraceID {
	var t TraceID
	_, _ = rand.Read(t[copy(t[:], selfMark[:]):]) // never fails: crypto/rand ends the process instead
	return t
}

// IsSelf reports whether t is the trace of one of our own calls.
func (t TraceID) IsSelf() bool { return [8]byte(t[:8]) == selfMark }
