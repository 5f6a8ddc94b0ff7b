// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// A cursor of points is base64url of
//
//	version 1 | number 8 | start 8 | trace id 16 | span id 8 | setup, evaluator, output with their lengths | tag 16
//
// where the tag is an HMAC-SHA256, cut to its first half, over a name of this
// kind of cursor, the environment, the query and everything before the tag.
const (
	pointCursorKind    = "points"
	pointCursorVersion = 1
	pointCursorHead    = 1 + 8 + 8 + 16 + 8
	pointCursorTag     = sha256.Size / 2
)

// pointCursors turns positions of points into opaque texts and back. A text
// opens only for the environment and the query that it was made for.
type pointCursors struct {
	secret []byte
}

// resume gives the query continued where the cursor says. "" and 0 are its
// beginning; another number is Unix milliseconds, from which a query by time
// goes on.
func (c *pointCursors) resume(environment string, q metricsQuery, cursor string) (metricsQuery, error) {
	if millis, err := strconv.ParseInt(cursor, 10, 64); err == nil && len(cursor) < 20 {
		return fromMillis(q, millis)
	}
	if cursor == "" {
		return q, nil
	}
	at, ok := c.open(environment, q, cursor)
	if !ok {
		return q, errPointCursor()
	}
	q.After = &at
	return q, nil
}

func errPointCursor() error {
	return fault.New(fault.Invalid, "cursor is not one that this query returned; start again without it")
}

func fromMillis(q metricsQuery, millis int64) (metricsQuery, error) {
	const largest = math.MaxInt64/1_000_000 - 1
	switch {
	case millis == 0:
		return q, nil
	case q.By != store.PointByStart || millis < 0 || millis > largest:
		return q, errPointCursor()
	case q.Descending:
		q.To = min(q.To, millis*1_000_000+999_999)
	default:
		q.From = max(q.From, millis*1_000_000)
	}
	q.never = q.never || q.From > q.To
	return q, nil
}

// seal gives the cursor that continues a query behind a position.
func (c *pointCursors) seal(environment string, q metricsQuery, at store.PointPosition) string {
	b := make([]byte, 0, 256)
	b = append(b, pointCursorVersion)
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(at.Number))
	b = binary.BigEndian.AppendUint64(b, uint64(at.Start))
	b = append(b, at.Span.TraceID[:]...)
	b = append(b, at.Span.SpanID[:]...)
	for _, text := range [...]string{at.Setup, at.Evaluator, at.Output} {
		b = appendText(b, text)
	}
	b = append(b, c.tag(environment, q, b)...)
	return base64.RawURLEncoding.EncodeToString(b)
}

func (c *pointCursors) open(environment string, q metricsQuery, cursor string) (at store.PointPosition, ok bool) {
	// The decoder would skip line breaks: one position would have many texts.
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || strings.ContainsAny(cursor, "\r\n") || len(b) < pointCursorHead+pointCursorTag || b[0] != pointCursorVersion {
		return at, false
	}
	body, tag := b[:len(b)-pointCursorTag], b[len(b)-pointCursorTag:]
	if !hmac.Equal(tag, c.tag(environment, q, body)) {
		return at, false
	}
	at.Number = math.Float64frombits(binary.BigEndian.Uint64(body[1:]))
	at.Start = int64(binary.BigEndian.Uint64(body[9:]))
	copy(at.Span.TraceID[:], body[17:])
	copy(at.Span.SpanID[:], body[33:])
	rest := body[pointCursorHead:]
	for _, text := range [...]*string{&at.Setup, &at.Evaluator, &at.Output} {
		n, width := binary.Uvarint(rest)
		if width <= 0 || n > uint64(len(rest)-width) {
			return at, false
		}
		*text, rest = string(rest[width:width+int(n)]), rest[width+int(n):]
	}
	return at, len(rest) == 0
}

func (c *pointCursors) tag(environment string, q metricsQuery, body []byte) []byte {
	mac := hmac.New(sha256.New, c.secret)
	// Length first: no end can be moved.
	mac.Write(appendText(appendText(nil, pointCursorKind), environment))
	mac.Write(q.asked[:])
	mac.Write(body)
	return mac.Sum(nil)[:pointCursorTag]
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}
