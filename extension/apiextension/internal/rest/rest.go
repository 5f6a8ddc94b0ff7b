// SPDX-License-Identifier: Apache-2.0

// Package rest is what all resources of the API share: routes and who may call
// them, bodies checked by the schemas of the OpenAPI document, answers, and
// refusals that tell a caller what to mend and nothing else.
//
// See docs/adr/0087-operations-by-their-types.md.
package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Response is what a handler means to say. A nil Body is no body; a
// json.RawMessage and an Attachment are written as they are, everything else
// as JSON.
type Response struct {
	Status int
	Header http.Header
	Body   any
	// Made are the ids or names of what a change made, for the audit log.
	Made []string

	owner tenant.EnvironmentID // whose answer it is, "" of the operator's and of no one
}

// OK returns the answer 200 with a body.
func OK(body any) Response { return Response{Status: http.StatusOK, Body: body} }

// Attachment is a body that is a text, which browsers keep as a file and do not
// show.
type Attachment struct {
	// Name of the file; letters, digits, dots and hyphens alone.
	Name string
	Text string
}

// Handler decides on an answer; Server writes it.
type Handler func(r *http.Request) (Response, error)

// errorBody is the body of every refusal.
type errorBody struct {
	Error string `json:"error" doc:"What was wrong, for people." schema:"minLength=1"`
}

// Encode returns a body as JSON, a json.RawMessage and the text of an Attachment
// as they are.
func Encode(body any) ([]byte, error) {
	switch b := body.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		return b, nil
	case Attachment:
		return []byte(b.Text), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(body); err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return b.Bytes(), nil
}

func write(w http.ResponseWriter, a Response, body []byte) {
	h := w.Header()
	h.Set("Cache-Control", "no-store") // answers hold keys and texts of users
	for name, values := range a.Header {
		h[name] = values
	}
	if body != nil {
		h.Set("Content-Type", "application/json; charset=utf-8")
		if file, is := a.Body.(Attachment); is {
			h.Set("Content-Type", "text/plain; charset=utf-8")
			h.Set("Content-Disposition", `attachment; filename="`+file.Name+`"`)
		}
		h.Set("Content-Length", strconv.Itoa(len(body)))
		h.Set("X-Content-Type-Options", "nosniff")
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(body) // the caller is gone
}

const timeFormat = "2006-01-02T15:04:05.000Z"

// Time returns a time as answers have it, in UTC and milliseconds.
func Time(t time.Time) string { return t.UTC().Format(timeFormat) }

// TimeIfAny returns a time as Time does, and "" for the zero time.
func TimeIfAny(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return Time(t)
}

// NanosIfAny returns a time in Unix nanoseconds as Time does, and "" for 0.
func NanosIfAny(n int64) string {
	if n == 0 {
		return ""
	}
	return Time(time.Unix(0, n))
}

// Moment returns a time as exact as answers show it: what is answered at a
// creation and what is read later are the same.
func Moment(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
