// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"
	"time"

	"go.opentelemetry.io/collector/extension/extensionauth"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Server runs handlers and writes what they answer.
type Server struct {
	Logger *zap.Logger
	// Auth turns a credential into a *tenant.Principal.
	Auth extensionauth.Server
	// Auditor keeps the changes that were made, and attempts that were refused; nil keeps
	// none.
	Auditor Auditor
	// Changes bounds the changes of each environment, and Refusals the attempts of each that
	// the auditor hears of; nil for no bound.
	Changes, Refusals *Rates
	// Bodies are the schemas of request bodies.
	Bodies *Bodies
	// Timeout is how long a request may take; Long how long one whose route waits.
	Timeout, Long time.Duration

	// Memory is what requests may hold together. MaxBody is how many bytes of it a
	// body may take, and ReadTimeout how long a body may come; 0 is for ever.
	Memory      *fair.Part
	MaxBody     int64
	ReadTimeout time.Duration

	// Stalled is how long a client may leave a part of a streamed answer unread. Default: 15 s.
	Stalled time.Duration

	// OverQuota, unless it is nil, is called for each request that was refused because as many
	// were under way as the quota of the environment allows.
	OverQuota func()

	underWay fair.Held[tenant.EnvironmentID] // requests that are being worked on
	refused  fair.Held[tenant.EnvironmentID] // requests that are about to be refused
}

// Serve runs a handler within the request's deadline and writes its answer.
func (s *Server) Serve(h Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var until time.Time
		if s.ReadTimeout > 0 {
			until = time.Now().Add(s.ReadTimeout)
		}
		s.serveWithin(s.Timeout, until, h, w, r)
	}
}

// serveLong serves a handler that waits for what takes longer than a request
// may, for as long as that may take and a moment more.
func (s *Server) serveLong(h Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		limit := s.Long + time.Second
		control, until := http.NewResponseController(w), time.Now().Add(limit+time.Second)
		if control.SetReadDeadline(until) != nil || control.SetWriteDeadline(until) != nil {
			limit = s.Timeout
		}
		s.serveWithin(limit, until, h, w, r)
	}
}

// smallAnswer is the size up to which an answer of an environment that is being written
// does not count: a client that does not read a larger one has the process keep it.
const smallAnswer = 64 << 10

// serveWithin serves a handler within a limit. Until then the connection may be read
// from; zero is for ever.
func (s *Server) serveWithin(limit time.Duration, until time.Time, h Handler, w http.ResponseWriter, r *http.Request) {
	in := &intake{body: fair.NewBody(w, r, until), stalled: cmp.Or(s.Stalled, defaultStalled)}
	ctx, cancel := context.WithTimeout(context.WithValue(r.Context(), intakeKey{}, in), limit)
	defer cancel()
	r = r.WithContext(ctx)
	// The answer, the log and the audit log have the same id.
	id := requestID(r)
	r.Header.Set(requestIDHeader, id)
	w.Header().Set(requestIDHeader, id)
	got, err := recovered(func() (Response, error) { return h(r) })
	// Unpacking costs more than sending: it is done for callers that are known.
	drop := in.lease != nil || !isPacked(r)
	in.end()
	if in.streamed {
		if err != nil {
			_, _ = s.Tell(r, err)
			panic(http.ErrAbortHandler)
		}
		return
	}
	var body []byte
	if err == nil {
		body, err = Encode(got.Body)
	}
	if err == nil && got.owner != "" && len(body) > smallAnswer {
		lease := s.Memory.Lease(string(got.owner))
		defer lease.Release()
		err = limited(got.owner, lease.Take(int64(len(body))))
	}
	if err != nil {
		got = s.refusal(r, err)
		body, _ = Encode(got.Body) // a struct of one string
	}
	if _, is := got.Body.(Attachment); !is {
		got.Body = nil // which takes as much memory again as its text
	}
	in.body.Answer(drop, func() { write(w, got, body) })
}

// recovered turns a panic into an error. The value of the panic is left out: it
// may hold a user's text.
func recovered[T any](do func() (T, error)) (got T, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error:
			err = fmt.Errorf("panic: %w\n%s", p, debug.Stack())
		default:
			err = fmt.Errorf("panic with a %T\n%s", p, debug.Stack())
		}
	}()
	return do()
}
