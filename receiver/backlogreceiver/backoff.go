// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/pace"
)

// Pauses after failures: the first, and the longest.
const (
	firstPause   = 500 * time.Millisecond
	longestPause = 30 * time.Second
)

// backoff adapts to failures: after each it halves how many evaluations are leased
// at a time, down to one, so that what cannot be done is alone, and doubles the
// pause before the next lease. A success doubles the size and ends the pause.
type backoff struct {
	most  int           // how much to hand out at a time when all is well
	first time.Duration // the pause after the first failure

	mu       sync.Mutex // guards what follows
	batch    int
	failures int // one after the other
	lastFail time.Time
	until    time.Time // nothing is to be handed out before
}

func newBackoff(most int, first time.Duration) *backoff {
	return &backoff{most: most, first: first, batch: most}
}

// next returns how many evaluations to lease, and how long to wait before.
func (c *backoff) next(now time.Time) (batch int, wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.batch, c.until.Sub(now)
}

// failed notes that a lease failed that was begun then. Of what failed
// together only the first counts. It reports whether that is the first failure
// since something succeeded.
func (c *backoff) failed(begun, now time.Time) (first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !begun.After(c.lastFail) {
		return false
	}
	first = c.failures == 0
	c.lastFail = now
	c.batch = max(c.batch/2, 1)
	c.failures++
	c.until = now.Add(pace.Doubled(c.first, longestPause, c.failures))
	return first
}

// done notes that a lease succeeded that was begun then, and reports whether one
// had failed before. A success of what was under way already when
// something failed says nothing.
func (c *backoff) done(begun time.Time) (recovered bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !begun.After(c.lastFail) {
		return false
	}
	recovered = c.failures > 0
	c.batch = min(c.batch*2, c.most)
	c.failures, c.until = 0, time.Time{}
	return recovered
}
