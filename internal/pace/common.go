// SPDX-License-Identifier: Apache-2.0

package pace

import (
	"context"
	"sync"
	"time"
)

// Shared is a place where several processes take what they may have together.
type Shared interface {
	// Take takes n things of a rate that processes know by its name, or gives -n back,
	// and returns how long it takes until they may be used. What is taken beyond what is
	// there is a debt, as of a Bucket. With 0 it says how long it takes until there is
	// no debt.
	Take(ctx context.Context, name string, r Rate, n int) (time.Duration, error)
}

const (
	// sharedTimeout is how long others are asked.
	sharedTimeout = 2 * time.Second
	// sharedPause is for how long they are not asked again when they did not answer.
	sharedPause = 5 * time.Second
)

// Common is a bucket that processes have together. While the others cannot be asked
// each keeps to the rate by itself. It is safe for concurrent use; a nil Common has no
// end.
type Common struct {
	own    *Bucket
	rate   Rate
	shared Shared // nil for a process that shares nothing
	name   string

	mu    sync.Mutex
	alone time.Time // the others are not asked before
}

// NewCommon makes a bucket of a rate that is known by its name in a shared place, which
// may be nil.
func NewCommon(r Rate, shared Shared, name string) *Common {
	return &Common{own: r.bucket(), rate: r, shared: shared, name: name}
}

// Most returns the smaller of n and of what the bucket holds.
func (c *Common) Most(n int) int {
	if c == nil {
		return n
	}
	return c.own.Most(n)
}

// Wait returns how long it takes until something may be taken.
func (c *Common) Wait(ctx context.Context, now time.Time) time.Duration {
	if c == nil {
		return 0
	}
	theirs, _ := c.ask(ctx, now, 0)
	return max(c.own.Wait(now), theirs)
}

// Take takes n things, and returns how long it takes until all of them may be used, and
// what gives them back.
func (c *Common) Take(ctx context.Context, now time.Time, n int) (delay time.Duration, giveBack func()) {
	if c == nil || n == 0 {
		return 0, func() {}
	}
	taken := c.own.Take(now, n)
	theirs, shared := c.ask(ctx, now, n)
	return max(taken.Delay(now), theirs), func() {
		taken.GiveBack(now)
		if shared {
			_, _ = c.ask(context.WithoutCancel(ctx), now, -n)
		}
	}
}

// ask takes from what processes have together, and returns how long it takes until that
// may be used, and whether it was taken: while no one can be asked it is not.
func (c *Common) ask(ctx context.Context, now time.Time, n int) (delay time.Duration, taken bool) {
	c.mu.Lock()
	alone := c.shared == nil || now.Before(c.alone)
	c.mu.Unlock()
	if alone {
		return 0, false
	}
	asking, cancel := context.WithTimeout(ctx, sharedTimeout)
	defer cancel()
	delay, err := c.shared.Take(asking, c.name, c.rate, n)
	switch {
	case err != nil && ctx.Err() != nil: // the caller has gone, not the others
		return 0, false
	case err != nil:
		c.mu.Lock()
		c.alone = now.Add(sharedPause)
		c.mu.Unlock()
		return 0, false
	}
	return delay, true
}
