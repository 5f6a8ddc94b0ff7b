// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCautionGrowsWithFailuresAndEndsWithSuccess(t *testing.T) {
	t.Parallel()
	c := newCaution(32, firstPause)
	now := time.Now()
	batch, wait := c.next(now)
	require.Equal(t, 32, batch)
	require.LessOrEqual(t, wait, time.Duration(0))

	begun := now
	now = now.Add(time.Second)
	require.True(t, c.failed(begun, now))
	require.False(t, c.failed(begun, now), "leases of the same time fail together")
	batch, wait = c.next(now)
	require.Equal(t, 16, batch)
	require.Equal(t, firstPause, wait)
	require.False(t, c.done(begun), "what was under way before says nothing")

	for range 20 {
		begun, now = now.Add(time.Second), now.Add(2*time.Second)
		require.False(t, c.failed(begun, now))
	}
	batch, wait = c.next(now)
	require.Equal(t, 1, batch)
	require.Equal(t, longestPause, wait)

	begun = now.Add(time.Second)
	require.True(t, c.done(begun))
	require.False(t, c.done(begun))
	batch, wait = c.next(now)
	require.Equal(t, 4, batch)
	require.LessOrEqual(t, wait, time.Duration(0))
	for range 9 {
		c.done(begun)
	}
	batch, _ = c.next(now)
	require.Equal(t, 32, batch)
}

func TestPace(t *testing.T) {
	t.Parallel()
	var none *pace
	require.Zero(t, none.wait(time.Now()))
	require.Equal(t, 32, none.most(32))
	none.pay(time.Now(), 1000)
	require.Nil(t, newPace(0))

	now := time.Now()
	p := newPace(10)
	require.Zero(t, p.wait(now))
	require.Equal(t, 10, p.most(32))
	require.Equal(t, 3, p.most(3))
	p.pay(now, 35) // more than a second has
	require.InDelta(t, 2.6, p.wait(now).Seconds(), 0.001, "25 owed, and one to begin with")
	require.Zero(t, p.wait(now.Add(2700*time.Millisecond)))

	// Over a long time the rate is what was asked for, however much comes at once.
	for _, rate := range []float64{0.5, 7, 100} {
		p, at, handed := newPace(rate), now, 0
		for at.Sub(now) < 1000*time.Second {
			p.pay(at, 90)
			handed += 90
			at = at.Add(p.wait(at))
		}
		require.InDelta(t, rate, float64(handed)/at.Sub(now).Seconds(), 0.05*rate+0.01, "%v", rate)
	}
	slow := newPace(1e-9)
	slow.pay(now, 5)
	require.Equal(t, time.Hour, slow.wait(now), "an hour is looked ahead at most")
}
