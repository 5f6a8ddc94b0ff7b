// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"time"

	"github.com/touchstone-otel/touchstone/internal/pace"
)

// Clock is the time that limits, waits and ages are measured by.
type Clock interface {
	Now() time.Time
	// Sleep waits, or returns the context's error as soon as it ends.
	Sleep(ctx context.Context, d time.Duration) error
}

// wallClock is the time of the machine.
type wallClock struct{}

func (wallClock) Now() time.Time { return time.Now() }

func (wallClock) Sleep(ctx context.Context, d time.Duration) error { return pace.Sleep(ctx, d) }
