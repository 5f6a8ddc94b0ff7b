// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// Observer receives the results of calls, to count them. Many goroutines call it
// at once, and it must not block.
type Observer interface {
	// Called reports one exchange with the server, or that none took place:
	// reason is "" for an answer, and why not otherwise. Sent says whether a
	// request left.
	Called(ctx context.Context, kind Kind, c Call)
	// CacheLookup reports a look into the cache.
	CacheLookup(ctx context.Context, kind Kind, hit bool)
	// BreakerChanged reports that the circuit breaker opened, or is open no longer.
	BreakerChanged(open bool)
}

// Call is one exchange with a model server.
type Call struct {
	Reason Reason
	Sent   bool
	Took   time.Duration
	Usage  eval.Usage
}

// noObserver observes nothing.
type noObserver struct{}

func (noObserver) Called(context.Context, Kind, Call)      {}
func (noObserver) CacheLookup(context.Context, Kind, bool) {}
func (noObserver) BreakerChanged(bool)                     {}
