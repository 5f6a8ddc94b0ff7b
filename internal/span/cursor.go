// SPDX-License-Identifier: Apache-2.0

package span

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// A cursor is base64url of
//
//	version 1 | number 8 | real 8 | trace id 16 | span id 8 | text | tag 16
//
// where the tag is an HMAC-SHA256, cut to its first half, over the environment,
// the query's fingerprint and everything before the tag.
const (
	cursorVersion = 2
	cursorHead    = 1 + 8 + 8 + 16 + 8
	cursorTag     = sha256.Size / 2
	// CursorSecret is how many bytes the secret of a codec has.
	CursorSecret = 32
)

// Cursors turns positions into opaque texts and back. A text opens only with
// the secret, for the environment and for the query that it was made for.
type Cursors struct {
	secret []byte
}

// NewCursors makes a codec; every process that shares the secret reads the
// cursors of the others.
func NewCursors(secret []byte) (*Cursors, error) {
	if len(secret) != CursorSecret {
		return nil, fmt.Errorf("cursor secret has %d bytes instead of %d", len(secret), CursorSecret)
	}
	return &Cursors{secret: append([]byte(nil), secret...)}, nil
}

// Seal gives the cursor that continues q in an environment behind at.
func (c *Cursors) Seal(environment string, q *Query, at Position) string {
	b := make([]byte, 0, cursorHead+len(at.Text)+cursorTag)
	b = append(b, cursorVersion)
	b = binary.BigEndian.AppendUint64(b, uint64(at.Number))
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(at.Real))
	b = append(b, at.TraceID[:]...)
	b = append(b, at.SpanID[:]...)
	b = append(b, at.Text...)
	b = append(b, c.tag(environment, q, b)...)
	return base64.RawURLEncoding.EncodeToString(b)
}

// Open gives the position that Seal was given. Any other text, and a cursor
// of another environment or query, is Invalid.
func (c *Cursors) Open(environment string, q *Query, cursor string) (Position, error) {
	// The decoder would skip line breaks: one position would have many texts.
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || strings.ContainsAny(cursor, "\r\n") || len(b) < cursorHead+cursorTag || b[0] != cursorVersion {
		return Position{}, errCursor()
	}
	body, tag := b[:len(b)-cursorTag], b[len(b)-cursorTag:]
	if !hmac.Equal(tag, c.tag(environment, q, body)) {
		return Position{}, errCursor()
	}
	at := Position{
		Number: int64(binary.BigEndian.Uint64(body[1:])),
		Real:   math.Float64frombits(binary.BigEndian.Uint64(body[9:])),
		Text:   string(body[cursorHead:]),
	}
	copy(at.TraceID[:], body[17:])
	copy(at.SpanID[:], body[33:])
	return at, nil
}

func (c *Cursors) tag(environment string, q *Query, body []byte) []byte {
	fingerprint := q.Fingerprint()
	mac := hmac.New(sha256.New, c.secret)
	// Length first: the environment's end cannot be moved.
	mac.Write(appendText(nil, environment))
	mac.Write(fingerprint[:])
	mac.Write(body)
	return mac.Sum(nil)[:cursorTag]
}

// errCursor says the same of every bad cursor: which check it failed is
// nobody's business.
func errCursor() error {
	return fault.New(fault.Invalid, "cursor is not one that this query returned; start again without it")
}
