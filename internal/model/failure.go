// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

// Reason says why a call of a model gave nothing; it labels metrics.
type Reason string

const (
	ReasonTimeout   Reason = "timeout"   // the server took too long
	ReasonNetwork   Reason = "network"   // no connection, or it broke
	ReasonLimited   Reason = "limited"   // the server wants fewer requests
	ReasonServer    Reason = "server"    // the server failed
	ReasonBroken    Reason = "broken"    // the answer cannot be used
	ReasonRefused   Reason = "refused"   // the server refused the request
	ReasonTooLong   Reason = "too_long"  // the text is more than the model reads
	ReasonOpen      Reason = "open"      // the circuit breaker is open
	ReasonBusy      Reason = "busy"      // our own limits would make it wait too long
	ReasonCancelled Reason = "cancelled" // the caller went away
)

// failure is one call that gave nothing. It holds no text of the request or
// the answer.
type failure struct {
	reason Reason
	status int
	// code and param are what an OpenAI-compatible server says is wrong.
	code, param string
	// after is how long the server wants us to wait; 0 if it does not say.
	after time.Duration
	cause error
}

// Error is for operators.
func (f *failure) Error() string {
	text := string(f.reason)
	if f.status != 0 {
		text = fmt.Sprintf("%s: status %d", text, f.status)
	}
	if f.code != "" {
		text += ": " + f.code
	}
	if f.cause != nil {
		text += ": " + f.cause.Error()
	}
	return text
}

func (f *failure) Unwrap() error { return f.cause }

// retried reports whether the same request may succeed in a moment.
func (f *failure) retried() bool {
	switch f.reason {
	case ReasonTimeout, ReasonNetwork, ReasonLimited, ReasonServer, ReasonBroken:
		return true
	default:
		return false
	}
}

// outage reports whether the failure counts towards opening the circuit breaker.
func (f *failure) outage() bool {
	switch f.reason {
	case ReasonTimeout, ReasonNetwork, ReasonServer:
		return true
	default:
		return false
	}
}

// fault returns the failure as a fault for the evaluator. The name is the configured one.
func (f *failure) fault(name string) error {
	switch f.reason {
	case ReasonTimeout, ReasonNetwork, ReasonServer, ReasonOpen:
		return fault.Wrap(fault.Unavailable, f, "the model %q cannot be reached; try again later", name)
	case ReasonLimited, ReasonBusy:
		return fault.Wrap(fault.Unavailable, f, "the model %q is at its limit; try again later", name)
	case ReasonCancelled:
		return fault.Wrap(fault.Unavailable, f, "the time for the answer of the model %q ran out", name)
	case ReasonTooLong:
		return fault.Wrap(fault.TooLarge, f, "the text is longer than the model %q can read", name)
	default:
		return fault.Wrap(fault.Unusable, f, "the model %q gave no usable answer", name)
	}
}

// public returns the error of a client as evaluators may see it, with the
// configured name of the server and nothing of the answer.
func (g *Guard) public(err error) error {
	var f *failure
	if errors.As(err, &f) {
		return f.fault(g.name)
	}
	return err
}

// asFailure finds the failure in err; what is none was broken.
func asFailure(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	return &failure{reason: ReasonBroken, cause: err}
}

// broken is an answer that cannot be used. The text must not quote it.
func broken(format string, args ...any) error {
	return &failure{reason: ReasonBroken, cause: fmt.Errorf(format, args...)}
}

// ofTransport says what a failed exchange without an answer was. The error of
// an HTTP client names the URL, which may hold credentials, so only what is
// below it is kept.
func ofTransport(err error) *failure {
	var u interface{ Timeout() bool }
	switch {
	case errors.Is(err, errForbidden):
		return &failure{reason: ReasonRefused, cause: errForbidden}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &u) && u.Timeout():
		return &failure{reason: ReasonTimeout, cause: context.DeadlineExceeded}
	case errors.Is(err, context.Canceled):
		return &failure{reason: ReasonCancelled, cause: context.Canceled}
	default:
		return &failure{reason: ReasonNetwork, cause: innermost(err)}
	}
}

func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

// ofStatus says what an answer with a status over 299 was.
func ofStatus(res *http.Response, now time.Time) *failure {
	f := &failure{status: res.StatusCode, after: retryAfter(res.Header, now)}
	switch {
	case res.StatusCode == http.StatusTooManyRequests:
		f.reason = ReasonLimited
	case res.StatusCode == http.StatusRequestTimeout:
		f.reason = ReasonTimeout
	case res.StatusCode == http.StatusRequestEntityTooLarge:
		f.reason = ReasonTooLong
	case res.StatusCode == http.StatusFailedDependency, res.StatusCode >= 500:
		f.reason = ReasonServer
	default:
		f.reason = ReasonRefused
	}
	return f
}

var identifier = regexp.MustCompile(`^[A-Za-z0-9_.\[\]-]{1,64}$`)

// says keeps what an error of an OpenAI-compatible server names, if it looks
// like a name: its message may quote the request.
func (f *failure) says(code, param string) {
	if identifier.MatchString(code) {
		f.code = code
	}
	if identifier.MatchString(param) {
		f.param = param
	}
	switch {
	case f.code == "context_length_exceeded", f.code == "string_above_max_length":
		f.reason = ReasonTooLong
	case f.code == "insufficient_quota" && f.reason == ReasonLimited:
		f.reason, f.cause = ReasonBusy, errors.New("the account has no quota left")
	}
}

// retryAfter reads how long a server wants us to wait: seconds, milliseconds
// under OpenAI's own name, or a date. It is never negative.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return seconds(ms / 1000)
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return seconds(s)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// seconds turns a foreign number into a duration between 0 and a day.
func seconds(s float64) time.Duration {
	const day = 24 * 60 * 60
	if math.IsNaN(s) || s <= 0 {
		return 0
	}
	return time.Duration(min(s, day) * float64(time.Second))
}
