// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/google/uuid"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// retryAfter is how many seconds a caller should wait out an outage.
const retryAfter = "2"

// answer is what a handler means to say. A nil body is no body; a
// json.RawMessage is written as it is.
type answer struct {
	status int
	header http.Header
	body   any
}

// handler means something and leaves the writing to serve.
type handler func(r *http.Request) (answer, error)

// httpError is a refusal that only HTTP knows.
type httpError struct {
	status  int
	message string
}

func (e *httpError) Error() string { return e.message }

// errorBody is the body of every refusal.
type errorBody struct {
	Error string `json:"error"`
}

// serve runs a handler within the request's deadline and writes what it means.
func (a *api) serve(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { a.serveWithin(a.timeout, h, w, r) }
}

// hold serves a handler that waits for what takes longer than a request may,
// for as long as that may take and a moment more.
func (a *api) hold(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		limit := a.executions.timeout + time.Second
		control, until := http.NewResponseController(w), time.Now().Add(limit+time.Second)
		if control.SetReadDeadline(until) != nil || control.SetWriteDeadline(until) != nil {
			limit = a.timeout
		}
		a.serveWithin(limit, h, w, r)
	}
}

func (a *api) serveWithin(limit time.Duration, h handler, w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	defer cancel()
	r = r.WithContext(ctx)
	got, err := guard(h, r)
	var body []byte
	if err == nil {
		body, err = encode(got.body)
	}
	if err != nil {
		got = a.refusal(r, err)
		body, _ = encode(got.body) // a struct of one string
	}
	write(w, got, body)
}

// guard turns a panic into an error. What was panicked with is not told: it
// may hold a user's text.
func guard(h handler, r *http.Request) (got answer, err error) {
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

func encode(body any) ([]byte, error) {
	if raw, ok := body.(json.RawMessage); ok || body == nil {
		return raw, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(body); err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return b.Bytes(), nil
}

func write(w http.ResponseWriter, a answer, body []byte) {
	h := w.Header()
	for name, values := range a.header {
		h[name] = values
	}
	if body != nil {
		h.Set("Content-Type", "application/json; charset=utf-8")
		h.Set("Content-Length", strconv.Itoa(len(body)))
		h.Set("X-Content-Type-Options", "nosniff")
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(body) // the caller is gone: nobody to tell
}

// refusal says no.
func (a *api) refusal(r *http.Request, err error) answer {
	var own *httpError
	if errors.As(err, &own) {
		return answer{status: own.status, body: errorBody{own.message}}
	}
	said := a.tell(r, err)
	no := answer{status: statusOf(said.kind), body: errorBody{said.message}}
	switch no.status {
	case http.StatusUnauthorized:
		no.header = http.Header{"Www-Authenticate": {"Bearer"}}
	case http.StatusServiceUnavailable:
		no.header = http.Header{"Retry-After": {retryAfter}}
	}
	return no
}

// told is what a caller learns of an error.
type told struct {
	kind    fault.Kind
	message string
}

// tell says what a caller learns of an error. What is not the caller's business
// is logged, without a word of what the caller sent.
func (a *api) tell(r *http.Request, err error) told {
	said := told{fault.KindOf(err), fault.Message(err)}
	if said.kind == fault.Internal && r.Context().Err() != nil {
		said = told{fault.Unavailable, "the request took too long"}
	}
	level := zap.ErrorLevel
	switch said.kind {
	case fault.Internal, fault.Unavailable:
	case fault.NotConfigured: // as the operator has chosen: nothing went wrong
		level = zap.DebugLevel
	default:
		return said
	}
	a.logger.Log(level, "request was not served", zap.String("method", r.Method), zap.String("route", r.Pattern),
		zap.String("request_id", requestID(r)), zap.String("kind", string(said.kind)), zap.Error(err))
	return said
}

// statusOf is the one place where a kind of refusal becomes a status.
func statusOf(kind fault.Kind) int {
	switch kind {
	case fault.Invalid:
		return http.StatusBadRequest
	case fault.Unauthorized:
		return http.StatusUnauthorized
	case fault.Forbidden:
		return http.StatusForbidden
	case fault.NotFound:
		return http.StatusNotFound
	case fault.Conflict:
		return http.StatusConflict
	case fault.TooLarge:
		return http.StatusRequestEntityTooLarge
	case fault.NotConfigured:
		return http.StatusNotImplemented
	case fault.Unavailable:
		return http.StatusServiceUnavailable
	case fault.Internal:
	}
	return http.StatusInternalServerError
}

// requestID gives the caller's id of the request when it is a UUID, which can
// carry no text, and a new one otherwise.
func requestID(r *http.Request) string {
	if id, err := uuid.Parse(r.Header.Get("X-Request-Id")); err == nil {
		return id.String()
	}
	return uuid.NewString()
}

func notFound(*http.Request) (answer, error) {
	return answer{}, fault.New(fault.NotFound, "there is nothing at this path")
}

func refuseMethod(*http.Request) (answer, error) {
	return answer{}, &httpError{http.StatusMethodNotAllowed, "this path does not know the method"}
}

// refuseEncoding answers for the server where it cannot read a body's
// Content-Encoding.
func (a *api) refuseEncoding(w http.ResponseWriter, r *http.Request, _ string, status int) {
	a.serve(func(*http.Request) (answer, error) {
		return answer{}, &httpError{status, "Content-Encoding is not supported, or the body does not have it"}
	})(w, r)
}

func health(*http.Request) (answer, error) {
	return answer{status: http.StatusOK, body: map[string]string{"status": "ok"}}, nil
}
