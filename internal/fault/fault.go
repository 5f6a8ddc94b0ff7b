// SPDX-License-Identifier: Apache-2.0

// Package fault names the kinds of refusal that a caller may react to. An
// error without a kind is Internal: its text is for operators, never for
// callers.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Kind says why a request was refused.
type Kind string

const (
	// Invalid: the request itself is wrong; the same request will fail again.
	Invalid Kind = "invalid"
	// Unauthorized: no valid credential was offered.
	Unauthorized Kind = "unauthorized"
	// Forbidden: the credential is valid but may not do this.
	Forbidden Kind = "forbidden"
	// NotFound: nothing has this name, as far as the caller may know.
	NotFound Kind = "not_found"
	// Conflict: something else has this name, or changed first.
	Conflict Kind = "conflict"
	// TooLarge: the request or one of its texts is over the limit.
	TooLarge Kind = "too_large"
	// NotConfigured: the request needs what the operator has not configured,
	// such as a model; the same request fails until that is done.
	NotConfigured Kind = "not_configured"
	// Limited: the caller has as much as its quota allows; the same request may
	// succeed after Error.After.
	Limited Kind = "limited"
	// TimedOut: the request takes longer than one may; the same request will most
	// likely fail again.
	TimedOut Kind = "timed_out"
	// Unavailable: the request may succeed later, unchanged.
	Unavailable Kind = "unavailable"
	// Unusable: what another server answered, such as a model's, cannot be used; the
	// same request may get another answer.
	Unusable Kind = "unusable"
	// Internal: a defect or a broken dependency; the detail is not for callers.
	Internal Kind = "internal"
)

// Error is an error with a kind and a message that may be shown to callers.
type Error struct {
	Kind    Kind
	Message string
	// Cause is for operators; callers never see it.
	Cause error
	// After is how long a caller should wait who is Limited.
	After time.Duration
}

// Error returns message and cause, for logs.
func (e *Error) Error() string {
	if e.Cause == nil {
		return e.Message
	}
	return e.Message + ": " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// New makes an error of a kind. The message is shown to callers.
func New(kind Kind, format string, args ...any) error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// Wrap returns cause with a kind and a message for callers.
func Wrap(kind Kind, cause error, format string, args ...any) error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), Cause: cause}
}

// Limit makes an error of kind Limited, for who may try again after a time.
func Limit(after time.Duration, format string, args ...any) error {
	return &Error{Kind: Limited, Message: fmt.Sprintf(format, args...), After: after}
}

// After returns how long the caller who gets err should wait, 0 where err does not
// say.
func After(err error) time.Duration {
	var f *Error
	if errors.As(err, &f) {
		return f.After
	}
	return 0
}

// KindOf returns the kind of the outermost fault in err's chain, Internal if
// there is none, and "" for nil.
func KindOf(err error) Kind {
	if err == nil {
		return ""
	}
	var f *Error
	if errors.As(err, &f) {
		return f.Kind
	}
	return Internal
}

// Is reports whether err is of the kind.
func Is(err error, kind Kind) bool { return KindOf(err) == kind }

// Message returns what a caller may read of err: the fault's message, or
// "internal error" for everything Internal.
func Message(err error) string {
	var f *Error
	if errors.As(err, &f) && f.Kind != Internal {
		return f.Message
	}
	return "internal error"
}
