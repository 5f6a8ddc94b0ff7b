// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// retryAfter is how many seconds a caller should wait out an outage.
const retryAfter = "2"

// Refusal is an error that only HTTP knows.
type Refusal struct {
	Status  int
	Message string
	// RetryAfter is how many seconds a caller should wait, "" where waiting does
	// not help.
	RetryAfter string
}

func (e *Refusal) Error() string { return e.Message }

// refusal returns the answer to an error.
func (s *Server) refusal(r *http.Request, err error) Response {
	var own *Refusal
	if errors.As(err, &own) {
		no := Response{Status: own.Status, Body: errorBody{own.Message}}
		if own.RetryAfter != "" {
			no.Header = http.Header{"Retry-After": {own.RetryAfter}}
		}
		return no
	}
	kind, message := s.Tell(r, err)
	no := Response{Status: statusOf(kind), Body: errorBody{message}}
	switch no.Status {
	case http.StatusUnauthorized:
		no.Header = http.Header{"Www-Authenticate": {"Bearer"}}
	case http.StatusServiceUnavailable:
		no.Header = http.Header{"Retry-After": {retryAfter}}
	case http.StatusTooManyRequests:
		no.Header = http.Header{"Retry-After": {wholeSeconds(fault.After(err))}}
	}
	return no
}

// Tell returns what a caller learns of an error. What is not the caller's
// business is logged, without a word of what the caller sent.
func (s *Server) Tell(r *http.Request, err error) (kind fault.Kind, message string) {
	kind, message = fault.KindOf(err), fault.Message(err)
	if kind == fault.Internal && r.Context().Err() != nil {
		kind, message = fault.Unavailable, "the request took too long"
	}
	level := zap.ErrorLevel
	switch kind {
	case fault.Internal, fault.Unavailable, fault.Unusable:
	case fault.NotConfigured: // as the operator has chosen: nothing went wrong
		level = zap.DebugLevel
	default:
		return kind, message
	}
	if errors.Is(r.Context().Err(), context.Canceled) { // the caller left, as browsers do when a page is
		level = zap.DebugLevel
	}
	s.Logger.Log(level, "request was not served", zap.String("method", r.Method), zap.String("route", r.Pattern),
		zap.String("request_id", requestID(r)), zap.String("kind", string(kind)), zap.Error(err))
	return kind, message
}

// wholeSeconds returns a time as Retry-After has it: rounded up, at least 1.
func wholeSeconds(d time.Duration) string {
	return strconv.FormatInt(max(1, int64((d+time.Second-1)/time.Second)), 10)
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
	case fault.Limited:
		return http.StatusTooManyRequests
	case fault.TimedOut:
		return http.StatusGatewayTimeout
	case fault.Unavailable:
		return http.StatusServiceUnavailable
	case fault.Unusable:
		return http.StatusBadGateway
	case fault.Internal:
	}
	return http.StatusInternalServerError
}

// requestIDHeader names a request, in it and in its answer.
const requestIDHeader = "X-Request-Id"

// requestID returns the caller's id of the request when it is a UUID, which can
// carry no text, and a new one otherwise.
func requestID(r *http.Request) string {
	if id, err := uuid.Parse(r.Header.Get(requestIDHeader)); err == nil {
		return id.String()
	}
	return uuid.NewString()
}

// Rename lets a refusal name a field by the name that its user wrote, which
// names has for the first part of the name that the refusal begins with.
func Rename(err error, names map[string]string) error {
	var refused *fault.Error
	if !errors.As(err, &refused) {
		return err
	}
	end := strings.IndexAny(refused.Message, ". [:")
	if end < 0 {
		return err
	}
	if name, found := names[refused.Message[:end]]; found {
		return fault.Wrap(refused.Kind, refused.Cause, "%s", name+refused.Message[end:])
	}
	return err
}
