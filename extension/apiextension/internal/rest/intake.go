// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

const (
	// maxQuestion bounds the body of a request that only reads, in bytes.
	maxQuestion = 256 << 10
	// decoded is how many times the size of a body its checked and decoded forms
	// take together.
	decoded = 4
	// retryMemory is when a client may come back that found no memory free.
	retryMemory = time.Second
	// firstRoom is the buffer that the reading of a body begins with.
	firstRoom = 16 << 10
)

// A body has stopped when fewer than leastBytes of it come within leastPeriod.
const (
	leastPeriod = 5 * time.Second
	leastBytes  = 5 << 10
)

// A client that sends while it is refused reads the answer only when its body is
// sent. So much of the body is read and dropped for that.
const maxDropped = 64 << 20

// MaxReceived is how many bytes of a body a server has to hand on: more than any
// body may have, so that what is refused can be dropped.
const MaxReceived = maxDropped

// intake takes in the body of one request.
type intake struct {
	control *http.ResponseController
	until   time.Time // when the connection stops to read; zero is never
	most    int64     // bytes that the body may have
	env     tenant.EnvironmentID
	lease   *fair.Lease // nil while nobody knows who calls
	whole   bool        // the body was read to its end
}

type intakeKey struct{}

func intakeOf(ctx context.Context) *intake {
	in, _ := ctx.Value(intakeKey{}).(*intake)
	return in
}

// begin lets the request hold memory on behalf of a caller. Its body may have so
// many bytes.
func (in *intake) begin(memory *fair.Part, env tenant.EnvironmentID, most int64) {
	if in.lease == nil {
		in.lease = memory.Lease(string(env))
	}
	in.env, in.most = env, most
}

// end gives back what the request holds.
func (in *intake) end() {
	if in.lease != nil {
		in.lease.Release()
		in.lease = nil
	}
}

// Take reads the body of a request that no route serves. The body may have so many
// bytes and come until a time. The environment holds its memory until leave is called.
func (s *Server) Take(w http.ResponseWriter, r *http.Request, env tenant.EnvironmentID, most int64, until time.Time) (body []byte, leave func(), err error) {
	in := &intake{control: http.NewResponseController(w), until: until}
	in.begin(s.Memory, env, most)
	if body, err = in.read(r); err != nil {
		in.end()
		return nil, nil, err
	}
	return body, in.end, nil
}

// read returns the body of a request. It is read only when the memory for it, and
// for what is made of it, is there: by the length that the request declares, or
// else by the most that it may have.
func (in *intake) read(r *http.Request) ([]byte, error) {
	if in == nil || in.lease == nil {
		return nil, errors.New("the body of a request was asked for before its caller is known")
	}
	size := r.ContentLength
	if size < 0 {
		size = in.most
	}
	if size > in.most {
		return nil, in.tooLarge()
	}
	if err := hold(r.Context(), in.lease, in.env, size*(1+decoded)); err != nil {
		return nil, err
	}
	b, err := in.all(r.Body, size)
	if err != nil {
		return nil, err
	}
	in.lease.Shrink((size - int64(len(b))) * (1 + decoded))
	in.whole = true
	_ = in.control.SetReadDeadline(in.until)
	return b, nil
}

// all reads a body of at most size bytes to its end.
func (in *intake) all(body io.Reader, size int64) ([]byte, error) {
	from := &pacedReader{Reader: body, intake: in}
	b := make([]byte, 0, min(size+1, firstRoom))
	for {
		n, err := from.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case int64(len(b)) > size:
			return nil, in.tooLarge()
		case errors.Is(err, io.EOF):
			return b, nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, fault.New(fault.Invalid, "request body came too slowly: it needs at least 1 KiB a second")
		case err != nil:
			return nil, fault.Wrap(fault.Invalid, err, "request body cannot be read")
		}
		if len(b) == cap(b) {
			b = append(make([]byte, 0, min(2*int64(cap(b)), size+1)), b...)
		}
	}
}

func (in *intake) tooLarge() error {
	return fault.New(fault.TooLarge, "request body must be at most %d bytes", in.most)
}

// drop reads what is left of the body of a refused request, of a caller that is
// known, and keeps nothing of it.
func (in *intake) drop(r *http.Request) {
	_ = in.control.Flush()
	_, _ = io.CopyN(io.Discard, &pacedReader{Reader: r.Body, intake: in}, maxDropped)
}

// drops reports whether what is left of a body is to be dropped before the
// connection is closed. The server itself reads what is left of a small one before it
// answers. A client that waits for "100 Continue" sends nothing.
func (in *intake) drops(r *http.Request) bool {
	small := r.ContentLength >= 0 && r.ContentLength <= maxQuestion
	return in.lease != nil && !in.whole && !small && r.ProtoMajor == 1 && r.Header.Get("Expect") == ""
}

// pacedReader reads a body until it has stopped.
type pacedReader struct {
	io.Reader
	intake *intake
	got    int
	paced  bool
}

// Read implements io.Reader. The error is os.ErrDeadlineExceeded when the body has
// stopped.
func (p *pacedReader) Read(b []byte) (int, error) {
	if !p.paced || p.got >= leastBytes {
		p.paced, p.got = true, 0
		until := time.Now().Add(leastPeriod)
		if !p.intake.until.IsZero() && until.After(p.intake.until) {
			until = p.intake.until
		}
		_ = p.intake.control.SetReadDeadline(until) // a request that the process makes of itself has none
	}
	n, err := p.Reader.Read(b)
	p.got += n
	return n, err
}

// hold lets the lease of an environment grow. The error is that of limited.
func hold(ctx context.Context, lease *fair.Lease, env tenant.EnvironmentID, bytes int64) error {
	return limited(env, lease.Grow(ctx, bytes))
}

// limited returns the error of a lease as callers get it: an environment that finds no
// memory is Limited. For the operator, who has no environment, the API is Unavailable.
func limited(env tenant.EnvironmentID, err error) error {
	switch {
	case !errors.Is(err, fair.ErrFull):
		return err
	case env == "":
		return fault.Wrap(fault.Unavailable, err, "%s", err.Error())
	}
	return fault.Limit(retryMemory, "%s", err.Error())
}
