// SPDX-License-Identifier: Apache-2.0

// Package otlpmend mends OTLP requests that SDKs write and the collector's
// decoder refuses. The decoder gives up a whole request for one value that it
// cannot read, so that every span of the request is lost: for
// {"doubleValue": null}, which is what JavaScript writes for NaN and the
// infinities, for an id in base64 or of another length, for the name of an enum
// without its prefix.
//
// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
// https://protobuf.dev/programming-guides/json/
package otlpmend

import (
	"bytes"
	"errors"

	"github.com/touchstone-otel/touchstone/internal/otlpbound"
)

// Reason says what was mended.
type Reason uint8

// The reasons, in the order of Mended.
const (
	Absent Reason = iota // a value that says nothing: null, NaN or an infinity as a number
	Form                 // a value in another form: a number as a text, an enum without its prefix, an id in base64
	Broken               // a value that cannot be read, left out
	Former               // a member by the name that it had before OTLP 1.0
	Mark                 // a byte order mark
	Reasons
)

// String returns the reason's name, as metrics have it.
func (r Reason) String() string {
	return [Reasons]string{"absent", "form", "broken", "former_name", "byte_order_mark"}[r]
}

// Mended is how much of a request was mended, by Reason.
type Mended [Reasons]int

// errGrammar is what JSON returns for bytes that are no JSON.
var errGrammar = errors.New("the request is malformed")

// byteOrderMark is U+FEFF in UTF-8, which RFC 8259 8.1 lets a reader ignore.
var byteOrderMark = []byte("\xef\xbb\xbf")

// TrimMark returns b without a byte order mark at its start.
func TrimMark(b []byte, m *Mended) []byte {
	if trimmed, ok := bytes.CutPrefix(b, byteOrderMark); ok {
		m[Mark]++
		return trimmed
	}
	return b
}

// JSON returns b, a request, with everything in the form that the decoder
// reads, and counts in m what was changed. It returns b itself where nothing
// was. A value that cannot be read is renamed to a member that the decoder
// passes over, which makes it absent. The nesting of b must have been bounded
// before, as otlpbound does: JSON follows it with its own stack. Bytes that are
// no JSON are returned with an error.
func JSON(s otlpbound.Signal, b []byte, m *Mended) ([]byte, error) {
	w := walk{in: b, mended: m}
	w.object(requests[s])
	if w.failed {
		return b, errGrammar
	}
	if w.out == nil {
		return b, nil
	}
	return append(w.out, b[w.copied:]...), nil
}
