// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"
	"time"

	"go.opentelemetry.io/collector/extension/extensionauth"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/freemem"
)

// Server runs handlers and writes what they answer.
type Server struct {
	Logger *zap.Logger
	// Auth turns a credential into a *tenant.Principal.
	Auth extensionauth.Server
	// Auditor keeps the changes that were made; nil keeps none.
	Auditor Auditor
	// Bodies are the schemas of request bodies.
	Bodies *Bodies
	// Timeout is how long a request may take; Long how long one whose route waits.
	Timeout, Long time.Duration

	// OverQuota, if it is not nil, is told of each request that was refused, since as many
	// were under way as the quota of the environment allows.
	OverQuota func()

	underWay Held // requests that are being worked on
	refused  Held // requests that are about to be refused
	answers  answers
}

// GiveBack has memory that large answers took given back to the system by g. It is called
// before the first request.
func (s *Server) GiveBack(g *freemem.Giver) { s.answers.memory = g }

// Serve runs a handler within the request's deadline and writes its answer.
func (s *Server) Serve(h Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { s.serveWithin(s.Timeout, h, w, r) }
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
		s.serveWithin(limit, h, w, r)
	}
}

func (s *Server) serveWithin(limit time.Duration, h Handler, w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	defer cancel()
	r = r.WithContext(ctx)
	// The answer, the log and the audit log have the same id.
	id := requestID(r)
	r.Header.Set(requestIDHeader, id)
	w.Header().Set(requestIDHeader, id)
	got, err := recovered(h, r)
	var body []byte
	leave := func() {}
	if err == nil {
		body, err = Encode(got.Body)
	}
	if err == nil {
		leave, err = s.answers.enter(got.owner, len(body))
	}
	if err != nil {
		leave = func() {}
		got = s.refusal(r, err)
		body, _ = Encode(got.Body) // a struct of one string
	}
	defer leave()
	if _, is := got.Body.(Attachment); !is {
		got.Body = nil // which takes as much memory again as its text
	}
	write(w, got, body)
}

// recovered turns a panic into an error. The value of the panic is left out: it
// may hold a user's text.
func recovered(h Handler, r *http.Request) (got Response, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error:
			err = fmt.Errorf("panic: %w\n%s", p, debug.Stack())
		default:
			err = fmt.Errorf("panic with a %T\n%s", p, debug.Stack())
		}
	}()
	return h(r)
}
