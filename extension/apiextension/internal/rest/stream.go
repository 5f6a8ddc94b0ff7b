// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"io"
	"net/http"
	"time"
)

// CSV is the body of an answer that is a table of comma-separated values.
type CSV struct{}

// defaultStalled is Server.Stalled where it is not set.
const defaultStalled = 15 * time.Second

// StreamCSV answers with a file that write makes, a part at a time, so that no part is kept
// once it is sent. The request stays under way meanwhile. A client that reads nothing for a
// while is cut off. An error after the first part cuts the answer off as well: the client
// sees that it is not whole.
func StreamCSV(r *http.Request, name string, write func(io.Writer) error) (Response, error) {
	in := intakeOf(r.Context())
	s := &stream{w: in.body.Writer(), name: name, stalled: in.stalled}
	err := write(s)
	if err == nil && !s.begun {
		s.begin()
	}
	in.streamed = s.begun
	return Response{Status: http.StatusOK}, err
}

// stream writes the parts of an answer.
type stream struct {
	w       http.ResponseWriter
	name    string
	stalled time.Duration
	begun   bool
}

func (s *stream) begin() {
	s.begun = true
	h := s.w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/csv; charset=utf-8; header=present")
	h.Set("Content-Disposition", `attachment; filename="`+s.name+`"`)
	h.Set("X-Content-Type-Options", "nosniff")
	s.w.WriteHeader(http.StatusOK)
}

// Write sends a part.
func (s *stream) Write(part []byte) (int, error) {
	if !s.begun {
		s.begin()
	}
	_ = http.NewResponseController(s.w).SetWriteDeadline(time.Now().Add(s.stalled)) // a process that asks itself has no connection
	return s.w.Write(part)
}
