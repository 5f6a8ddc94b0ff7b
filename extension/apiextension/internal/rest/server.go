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

	underWay underWay
}

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
	got, err := recovered(h, r)
	var body []byte
	if err == nil {
		body, err = Encode(got.Body)
	}
	if err != nil {
		got = s.refusal(r, err)
		body, _ = Encode(got.Body) // a struct of one string
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
