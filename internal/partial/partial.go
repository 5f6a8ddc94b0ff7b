// SPDX-License-Identifier: Apache-2.0

// Package partial carries with an OTLP request how many of its records are
// refused while the rest is taken, from the component that refuses them to the
// server that answers: what OTLP calls partial success.
//
// https://opentelemetry.io/docs/specs/otlp/#partial-success
package partial

import (
	"context"
	"sync"
)

// Rejected is what was refused of one request.
type Rejected struct {
	mu     sync.Mutex
	count  int64
	reason string
}

type key struct{}

// With returns a context that Reject finds r in.
func With(ctx context.Context) (context.Context, *Rejected) {
	r := &Rejected{}
	return context.WithValue(ctx, key{}, r), r
}

// Reject counts n records of the request that ctx belongs to as refused for a
// reason, a sentence for the sender. Without a server that listens it does
// nothing.
func Reject(ctx context.Context, n int, reason string) {
	r, ok := ctx.Value(key{}).(*Rejected)
	if !ok || n <= 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count += int64(n)
	if r.reason == "" {
		r.reason = reason
	}
}

// Result returns how many records were refused, and the first reason.
func (r *Rejected) Result() (count int64, reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count, r.reason
}
