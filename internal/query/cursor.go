// SPDX-License-Identifier: Apache-2.0

package query

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// A cursor is base64url of the bytes of a position and a tag: an HMAC-SHA256
// (RFC 2104), cut to its first half, over the environment, the query's
// fingerprint and the position.
const (
	cursorTag = sha256.Size / 2
	// CursorSecret is how many bytes the secret of a codec has.
	CursorSecret = 32
)

// Cursors turns positions into opaque texts and back. A text opens only with
// the secret, for the environment and for the query that it was made for.
type Cursors struct {
	secret []byte
}

// NewCursors returns a codec, or an error if the secret has another size than
// CursorSecret. Every process that shares the secret reads the cursors of the
// others.
func NewCursors(secret []byte) (*Cursors, error) {
	if len(secret) != CursorSecret {
		return nil, fmt.Errorf("cursor secret has %d bytes instead of %d", len(secret), CursorSecret)
	}
	return &Cursors{secret: append([]byte(nil), secret...)}, nil
}

// Seal returns the cursor that continues q in an environment behind at.
func (c *Cursors) Seal(environment string, q *Query, at Position) string {
	b := at.append(make([]byte, 0, 256))
	b = append(b, c.tag(environment, q, b)...)
	return base64.RawURLEncoding.EncodeToString(b)
}

// Open returns the position that Seal was given. Any other text, and a cursor
// of another environment or query, is Invalid.
func (c *Cursors) Open(environment string, q *Query, cursor string) (Position, error) {
	b, ok := decodeText(cursor)
	if !ok || len(b) < cursorTag {
		return Position{}, ErrCursor()
	}
	body, tag := b[:len(b)-cursorTag], b[len(b)-cursorTag:]
	if !hmac.Equal(tag, c.tag(environment, q, body)) {
		return Position{}, ErrCursor()
	}
	at, ok := readPosition(body)
	if !ok {
		return Position{}, ErrCursor()
	}
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

// ErrCursor returns the error of every bad cursor: which check it failed is
// no one's business.
func ErrCursor() error {
	return fault.New(fault.Invalid, "cursor is not one that this query returned; start again without it")
}
