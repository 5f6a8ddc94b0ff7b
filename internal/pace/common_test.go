// SPDX-License-Identifier: Apache-2.0

package pace_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/pace"
)

// place is a shared place within a process, with a clock of its own.
type place struct {
	mu    sync.Mutex
	now   time.Time
	full  map[string]time.Time
	fails bool
	asked int
}

// Take implements pace.Shared.
func (p *place) Take(_ context.Context, name string, r pace.Rate, n int) (time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	if p.fails {
		return 0, errors.New("away")
	}
	one := time.Duration(float64(time.Second) / r.PerSecond)
	full := p.full[name]
	if full.Before(p.now) {
		full = p.now
	}
	p.full[name] = full.Add(time.Duration(n) * one)
	return max(p.full[name].Sub(p.now)-time.Duration(r.Burst)*one, 0), nil
}

func TestProcessesHaveARateTogether(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	p := &place{now: now, full: map[string]time.Time{}}
	rate := pace.SecondRate(10)
	a, b := pace.NewCommon(rate, p, "one"), pace.NewCommon(rate, p, "one")
	other := pace.NewCommon(rate, p, "two")
	delay, _ := a.Take(t.Context(), now, 6)
	require.Zero(t, delay)
	delay, giveBack := b.Take(t.Context(), now, 6)
	require.Equal(t, 200*time.Millisecond, delay, "its own bucket would have had them at once")
	require.Equal(t, 200*time.Millisecond, a.Wait(t.Context(), now))
	require.Zero(t, other.Wait(t.Context(), now))
	giveBack()
	require.Zero(t, a.Wait(t.Context(), now))
	delay, _ = b.Take(t.Context(), now, 4)
	require.Zero(t, delay)
	require.Equal(t, 10, a.Most(50))
}

// A process that cannot ask the others keeps to the rate alone, and asks again later.
func TestARateIsKeptAlone(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	p := &place{now: now, full: map[string]time.Time{}, fails: true}
	c := pace.NewCommon(pace.SecondRate(10), p, "one")
	for range 10 {
		delay, _ := c.Take(t.Context(), now, 1)
		require.Zero(t, delay)
	}
	delay, _ := c.Take(t.Context(), now, 1)
	require.Equal(t, 100*time.Millisecond, delay)
	require.Equal(t, 1, p.asked, "not at each time")
	_, giveBack := c.Take(t.Context(), now, 1)
	p.fails = false
	now = now.Add(5 * time.Second)
	p.now = now
	giveBack()
	require.Equal(t, 1, p.asked, "what was not taken there is not given back there")
	_, _ = c.Take(t.Context(), now, 1)
	require.Equal(t, 2, p.asked)

	alone := pace.NewCommon(pace.MinuteRate(60), nil, "")
	delay, giveBack = alone.Take(t.Context(), now, 7)
	require.Positive(t, delay)
	giveBack()
	require.Zero(t, alone.Wait(t.Context(), now))
	var none *pace.Common
	delay, _ = none.Take(t.Context(), now, 1e9)
	require.Zero(t, delay+none.Wait(t.Context(), now))
	require.Equal(t, 7, none.Most(7))
}
