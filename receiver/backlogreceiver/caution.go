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

// caution is what failures teach: to hand out less at a time, until what cannot
// be done is alone, and to pause before the next. Successes make it forget.
type caution struct {
	most  int           // how much to hand out at a time when all is well
	first time.Duration // the pause after the first failure

	mu       sync.Mutex // guards what follows
	batch    int
	failures int // one after the other
	lastFail time.Time
	until    time.Time // nothing is to be handed out before
}

func newCaution(most int, first time.Duration) *caution {
	return &caution{most: most, first: first, batch: most}
}

// next tells how much to hand out, and how long to wait before.
func (c *caution) next(now time.Time) (batch int, wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.batch, c.until.Sub(now)
}

// failed notes that something failed that was begun then. Of what failed
// together only the first counts. It reports whether that is the first failure
// since something succeeded.
func (c *caution) failed(begun, now time.Time) (first bool) {
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

// done notes that something succeeded that was begun then, and reports whether
// something had failed before. A success of what was under way already when
// something failed says nothing.
func (c *caution) done(begun time.Time) (recovered bool) {
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
