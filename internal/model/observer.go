// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// Observer is told what becomes of calls, to count them. It is called by many
// goroutines at once and must not block.
type Observer interface {
	// Called reports one exchange with the server, or that none took place:
	// reason is "" for an answer, and why not otherwise. Sent says whether a
	// request left.
	Called(ctx context.Context, kind Kind, c Call)
	// Looked reports a look into the cache.
	Looked(ctx context.Context, kind Kind, hit bool)
	// Broke reports that the circuit breaker opened, or is open no longer.
	Broke(open bool)
}

// Call is one exchange with a model server.
type Call struct {
	Reason Reason
	Sent   bool
	Took   time.Duration
	Usage  eval.Usage
}

// nobody observes nothing.
type nobody struct{}

func (nobody) Called(context.Context, Kind, Call) {}
func (nobody) Looked(context.Context, Kind, bool) {}
func (nobody) Broke(bool)                         {}
