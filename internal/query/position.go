// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"math"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// The bytes of a position are, numbers big-endian,
//
//	version 1 | start 8 | number 8 | real 8 | trace id 16 | span id 8 | bucket 4 | text, setup, evaluator and output with their lengths
//
// Cursors carry them with a proof of where they come from, and a position's own
// text, for a client that keeps one, is base64url of them.
const (
	positionVersion = 4
	positionHead    = 1 + 8 + 8 + 8 + 16 + 8 + 4
)

// append appends the bytes of the position.
func (p *Position) append(b []byte) []byte {
	b = append(b, positionVersion)
	b = binary.BigEndian.AppendUint64(b, uint64(p.Start))
	b = binary.BigEndian.AppendUint64(b, uint64(p.Number))
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(p.Real))
	b = append(b, p.TraceID[:]...)
	b = append(b, p.SpanID[:]...)
	b = binary.BigEndian.AppendUint32(b, uint32(p.Bucket))
	for _, text := range [...]string{p.Text, p.Setup, p.Evaluator, p.Output} {
		b = appendText(b, text)
	}
	return b
}

// readPosition returns the position that bytes are all of, or false.
func readPosition(b []byte) (p Position, ok bool) {
	if len(b) < positionHead || b[0] != positionVersion {
		return Position{}, false
	}
	p.Start = int64(binary.BigEndian.Uint64(b[1:]))
	p.Number = int64(binary.BigEndian.Uint64(b[9:]))
	p.Real = math.Float64frombits(binary.BigEndian.Uint64(b[17:]))
	copy(p.TraceID[:], b[25:])
	copy(p.SpanID[:], b[41:])
	p.Bucket = span.Bucket(binary.BigEndian.Uint32(b[49:]))
	rest := b[positionHead:]
	for _, text := range [...]*string{&p.Text, &p.Setup, &p.Evaluator, &p.Output} {
		n, width := binary.Uvarint(rest)
		if width <= 0 || n > uint64(len(rest)-width) {
			return Position{}, false
		}
		*text, rest = string(rest[width:width+int(n)]), rest[width+int(n):]
	}
	return p, len(rest) == 0
}

// MarshalText returns the position as text that UnmarshalText reads. It never
// fails.
func (p Position) MarshalText() ([]byte, error) {
	return []byte(base64.RawURLEncoding.EncodeToString(p.append(nil))), nil
}

// UnmarshalText reads what MarshalText wrote. Any other text is Invalid.
func (p *Position) UnmarshalText(text []byte) error {
	b, ok := decodeText(string(text))
	if !ok {
		return fault.New(fault.Invalid, "position is damaged")
	}
	read, ok := readPosition(b)
	// A length may be spelled in several ways, of which one is ours.
	if !ok || !bytes.Equal(read.append(nil), b) {
		return fault.New(fault.Invalid, "position is damaged")
	}
	*p = read
	return nil
}

// decodeText reads base64url in its one spelling.
func decodeText(text string) ([]byte, bool) {
	// The decoder would skip line breaks: one position would have many texts.
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return b, err == nil && !strings.ContainsAny(text, "\r\n")
}
