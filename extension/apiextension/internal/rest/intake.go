// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"context"
	"errors"
	"net/http"
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
)

// intake takes in the body of one request.
type intake struct {
	body  *fair.Body
	most  int64 // bytes that the body may have
	env   tenant.EnvironmentID
	lease *fair.Lease // nil until the caller is known
	// streamed says that the answer, or its beginning, is written.
	streamed bool
	stalled  time.Duration // Server.Stalled
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
	in := &intake{body: fair.NewBody(w, r, until)}
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
	b, err := fair.ReadAll(r.Context(), nil, in.body, r.ContentLength, in.most)
	switch {
	case errors.Is(err, fair.ErrTooLarge):
		return nil, in.tooLarge()
	case errors.Is(err, fair.ErrSlow):
		return nil, fault.Wrap(fault.Invalid, err, "%s", err.Error())
	case err != nil:
		return nil, fault.Wrap(fault.Invalid, err, "request body cannot be read")
	}
	in.lease.Shrink((size - int64(len(b))) * (1 + decoded))
	return b, nil
}

func (in *intake) tooLarge() error {
	return fault.New(fault.TooLarge, "request body must be at most %d bytes", in.most)
}

// isPacked reports whether the server unpacks the body of a request, and therefore does
// not know its length.
func isPacked(r *http.Request) bool {
	return r.ContentLength < 0 && len(r.TransferEncoding) == 0 && r.ProtoMajor == 1
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
