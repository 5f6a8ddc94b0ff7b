// SPDX-License-Identifier: Apache-2.0

// Package partial carries with an OTLP request how many of its records are
// refused while the rest is taken, and what its sender is warned of, from the
// component that knows to the server that answers: what OTLP calls partial success.
//
// https://opentelemetry.io/docs/specs/otlp/#partial-success
package partial

import (
	"context"
	"slices"
	"strings"
	"sync"
)

// Rejected is what was refused of one request, and what its sender is warned of.
type Rejected struct {
	mu      sync.Mutex
	count   int64
	reasons []string // each once
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
	if n > 0 {
		note(ctx, n, reason)
	}
}

// Warn tells the sender of the request that ctx belongs to a sentence about records
// that are taken. Without a server that listens it does nothing.
func Warn(ctx context.Context, sentence string) { note(ctx, 0, sentence) }

func note(ctx context.Context, n int, reason string) {
	r, ok := ctx.Value(key{}).(*Rejected)
	if !ok {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count += int64(n)
	if !slices.Contains(r.reasons, reason) {
		r.reasons = append(r.reasons, reason)
	}
}

// Result returns how many records were refused, and the whole message to the sender;
// "" if that is nothing.
func (r *Rejected) Result() (count int64, told string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count, strings.Join(r.reasons, "; ")
}
