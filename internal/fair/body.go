// SPDX-License-Identifier: Apache-2.0

package fair

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

var (
	// ErrSlow is the error for a body that has stopped.
	ErrSlow = errors.New("request body came too slowly: it needs at least 1 KiB a second")
	// ErrTooLarge is the error for a body that has more bytes than it may.
	ErrTooLarge = errors.New("request body is too large")
)

// A body has stopped when fewer than leastBytes of it come within leastPeriod of waiting for
// it. What the reader does between is not the client's fault.
const (
	leastPeriod = 5 * time.Second
	leastBytes  = 5 << 10
)

// MaxDropped is how many bytes of a body Answer reads and drops at most.
const MaxDropped = 64 << 20

// smallBody is the size up to which a server itself reads what is left of a body before it
// answers.
const smallBody = 256 << 10

// Body reads the body of a request over HTTP until it has stopped. One goroutine at a time
// may use it.
type Body struct {
	request *http.Request
	answer  http.ResponseWriter
	control *http.ResponseController
	until   time.Time
	got     int           // bytes of the period
	waited  time.Duration // of the period
	whole   bool          // the body was read to its end
}

// NewBody returns the body of a request. It may come until a time, zero is for ever. Its
// memory is the caller's to admit.
func NewBody(w http.ResponseWriter, r *http.Request, until time.Time) *Body {
	return &Body{request: r, answer: w, control: http.NewResponseController(w), until: until}
}

// Read implements io.Reader. The error is ErrSlow when the body has stopped.
func (b *Body) Read(p []byte) (int, error) {
	if b.got >= leastBytes {
		b.got, b.waited = 0, 0
	}
	begun := time.Now()
	until := begun.Add(leastPeriod - b.waited)
	if !b.until.IsZero() && until.After(b.until) {
		until = b.until
	}
	b.setDeadline(until)
	n, err := b.request.Body.Read(p)
	b.got += n
	b.waited += time.Since(begun)
	switch {
	case errors.Is(err, io.EOF):
		b.whole = true
		b.setDeadline(b.until)
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = ErrSlow
	}
	return n, err
}

// Writer returns what the request is answered by.
func (b *Body) Writer() http.ResponseWriter { return b.answer }

// setDeadline lets the connection be read until a time. A request that a process makes of
// itself has no connection.
func (b *Body) setDeadline(until time.Time) { _ = b.control.SetReadDeadline(until) }

// Answer answers the request by write. A client that sends reads its answer only when its
// body is sent: what is left of a body that is to be dropped is read afterwards, up to
// MaxDropped bytes or until it has stopped, and nothing of it kept.
func (b *Body) Answer(drop bool, write func()) {
	if b.whole || b.request.ContentLength == 0 {
		write()
		return
	}
	b.setDeadline(time.Now().Add(leastPeriod)) // for a server that reads before it answers
	if drop = drop && b.isComing(); drop {
		b.answer.Header().Set("Connection", "close")
	}
	write()
	if drop {
		_ = b.control.Flush()
		_, _ = io.CopyN(io.Discard, b, MaxDropped)
	}
}

// isComing reports whether more of the body is under way than the server reads by itself. A
// client that waits for "100 Continue" sends nothing. HTTP/2 ends a stream without its
// connection.
func (b *Body) isComing() bool {
	r := b.request
	small := r.ContentLength >= 0 && r.ContentLength <= smallBody
	return !small && r.ProtoMajor == 1 && r.Header.Get("Expect") == ""
}

// The buffers that ReadAll begins with, for a size that is known and one that is not.
const (
	firstKnown   = 1 << 20
	firstUnknown = 16 << 10
)

// ReadAll reads r to its end, of which so many bytes are expected; -1 is unknown. The lease
// grows with the buffer, before the buffer does, and holds it in the end; nil where its memory
// is held already. The error is ErrTooLarge if there are more than most bytes or more than
// are expected, that of Grow, or that of r.
func ReadAll(ctx context.Context, l *Lease, r io.Reader, size, most int64) ([]byte, error) {
	if size > most {
		return nil, ErrTooLarge
	}
	room := int64(firstUnknown)
	if size >= 0 {
		room = min(size+1, firstKnown) // one more, to see the end without growing
	}
	if err := l.grow(ctx, room); err != nil {
		return nil, err
	}
	b := make([]byte, 0, room)
	for {
		if len(b) == cap(b) {
			var err error
			if b, err = enlarged(ctx, l, b, size, most); err != nil {
				return nil, err
			}
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case int64(len(b)) > most:
			return nil, ErrTooLarge
		case errors.Is(err, io.EOF):
			return b, nil
		case err != nil:
			return nil, err
		}
	}
}

// enlarged returns b with room for more.
func enlarged(ctx context.Context, l *Lease, b []byte, size, most int64) ([]byte, error) {
	old := int64(cap(b))
	next := min(2*old, old+8<<20, most+1)
	if size >= 0 {
		next = min(2*old, size+1) // a client that says how much comes gets room without many copies
	}
	if next <= old {
		return nil, ErrTooLarge
	}
	// Both are there while one is copied to the other.
	if err := l.grow(ctx, next); err != nil {
		return nil, err
	}
	b = append(make([]byte, 0, next), b...)
	if l != nil {
		l.Shrink(old)
	}
	return b, nil
}

// grow is Grow for a lease that may be nil.
func (l *Lease) grow(ctx context.Context, n int64) error {
	if l == nil {
		return nil
	}
	return l.Grow(ctx, n)
}

// Whole is a body that is in memory already. It is read once, and forgets what was read.
type Whole struct{ rest []byte }

// NewWhole returns a body of these bytes.
func NewWhole(b []byte) *Whole { return &Whole{b} }

// Read implements io.Reader.
func (w *Whole) Read(p []byte) (int, error) {
	n := copy(p, w.rest)
	if w.rest = w.rest[n:]; len(w.rest) > 0 {
		return n, nil
	}
	w.rest = nil
	return n, io.EOF
}

// Close implements io.Closer.
func (w *Whole) Close() error {
	w.rest = nil
	return nil
}

// Rest reads the rest of a body. It returns the bytes of a Whole themselves, and a copy of
// those of any other.
func Rest(body io.Reader) ([]byte, error) {
	if w, is := body.(*Whole); is {
		b := w.rest
		w.rest = nil
		return b, nil
	}
	return io.ReadAll(body)
}
