// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// crowd are environments that ask one server, which answers one of them for each value in
// gate.
type crowd struct {
	t     *testing.T
	guard *Guard
	asked chan tenant.EnvironmentID
	gate  chan struct{}
	all   sync.WaitGroup
}

func newCrowd(t *testing.T, concurrency int) *crowd {
	t.Helper()
	return &crowd{
		t: t, guard: NewGuard("judge", Limits{Concurrency: concurrency, MaxWait: time.Minute}, nil, nil),
		asked: make(chan tenant.EnvironmentID), gate: make(chan struct{}),
	}
}

// ask has an environment ask once.
func (c *crowd) ask(env tenant.EnvironmentID) {
	c.all.Go(func() {
		_, _, err := send(tenant.WithEnvironment(c.t.Context(), env), c.guard, KindJudge, 0, func(context.Context) (string, eval.Usage, error) {
			c.asked <- env
			<-c.gate
			return "", eval.Usage{}, nil
		})
		if err != nil {
			c.t.Error(err)
		}
	})
}

// waiting waits until so many wait for a turn.
func (c *crowd) waiting(n int64) {
	c.t.Helper()
	require.Eventually(c.t, func() bool { return c.guard.turns.Waiting() == n }, time.Minute, time.Millisecond)
}

// comes waits until an environment asks the server.
func (c *crowd) comes(env tenant.EnvironmentID) {
	c.t.Helper()
	require.Equal(c.t, env, <-c.asked)
}

// An environment that asks little does not stand in line behind all that another asks.
func TestEnvironmentsTakeTurnsAtAServer(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 1)
	c.ask("many")
	c.comes("many")
	for i := range int64(5) {
		c.ask("many")
		c.waiting(i + 1)
	}
	c.ask("few")
	c.waiting(6)
	c.gate <- struct{}{}
	c.comes("few") // it came last
	for range 5 {
		c.gate <- struct{}{}
		c.comes("many")
	}
	c.gate <- struct{}{}
	c.all.Wait()
}

// One of four turns is kept for an environment that asked lately: it does not wait until an
// answer comes of all that another asks.
func TestOneTurnAtAServerIsKept(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 4)
	c.ask("few")
	c.comes("few")
	c.gate <- struct{}{}
	for range 6 {
		c.ask("many")
	}
	for range 3 {
		c.comes("many")
	}
	c.waiting(3)
	c.ask("few")
	c.comes("few") // no call has been answered
	c.gate <- struct{}{}
	for range 3 {
		c.gate <- struct{}{}
		c.comes("many")
	}
	for range 3 {
		c.gate <- struct{}{}
	}
	c.all.Wait()
}
