// SPDX-License-Identifier: Apache-2.0

// Package modeltest is a model server for tests: it listens on a real port,
// speaks the OpenAI-compatible API as a script says, and records what arrives.
package modeltest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Step answers one request.
type Step func(w http.ResponseWriter, r *http.Request, got Request)

// Server is a scripted model server.
type Server struct {
	// Now stamps requests; nil is the machine's clock. It is set before the
	// first request.
	Now func() time.Time

	server *httptest.Server
	closed chan struct{}

	mu       sync.Mutex
	steps    []Step
	requests []Request
	inFlight int
	most     int
}

// NewServer starts a server that answers each request with the next step. The
// last step answers all further ones. The server ends with the test.
func NewServer(t testing.TB, steps ...Step) *Server {
	t.Helper()
	s := &Server{steps: steps, closed: make(chan struct{})}
	s.server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		close(s.closed)
		s.server.CloseClientConnections()
		s.server.Close()
	})
	return s
}

// URL is the base address of the OpenAI-compatible API.
func (s *Server) URL() string { return s.server.URL + "/v1" }

// Root is the address of the server, which is the base for classifiers.
func (s *Server) Root() string { return s.server.URL }

// Client returns a client of the server, whose connections end with it.
func (s *Server) Client() *http.Client { return s.server.Client() }

// Then puts further steps after those that are there.
func (s *Server) Then(steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = append(s.steps, steps...)
}

// Requests are those that arrived so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// InFlight is how many requests are being answered now, and how many were at
// most at one time.
func (s *Server) InFlight() (now, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inFlight, s.most
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	step, got := s.next(r, body)
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.inFlight--
	}()
	if step == nil {
		Status(http.StatusNotImplemented, "no_step")(w, r, got)
		return
	}
	step(w, r, got)
}

func (s *Server) next(r *http.Request, body []byte) (Step, Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now
	if s.Now != nil {
		now = s.Now
	}
	got := Request{Path: r.URL.Path, Header: r.Header.Clone(), Body: body, At: now(), closed: s.closed}
	n := len(s.requests)
	s.requests = append(s.requests, got)
	s.inFlight++
	s.most = max(s.most, s.inFlight)
	if len(s.steps) == 0 {
		return nil, got
	}
	return s.steps[min(n, len(s.steps)-1)], got
}
