// SPDX-License-Identifier: Apache-2.0

package pace_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/pace"
)

func TestBucketKeepsItsRate(t *testing.T) {
	t.Parallel()
	now := time.Unix(1, 0)
	b := pace.PerSecond(10)
	require.Zero(t, b.Wait(now))
	require.True(t, b.Full(now))
	require.Equal(t, 10, b.Most(50))
	require.Zero(t, b.Take(now, 10).Delay(now), "a second's worth may go at once")
	require.Equal(t, 100*time.Millisecond, b.Wait(now))
	require.False(t, b.Full(now.Add(999*time.Millisecond)))
	require.True(t, b.Full(now.Add(time.Second)))
	late := b.Take(now, 25)
	require.Equal(t, 2500*time.Millisecond, late.Delay(now), "more than it holds is a debt")
	require.Equal(t, 2600*time.Millisecond, b.Wait(now))
	late.GiveBack(now)
	require.Equal(t, 100*time.Millisecond, b.Wait(now))
	require.Zero(t, b.Wait(now.Add(100*time.Millisecond)))

	slow := pace.PerSecond(1e-6)
	slow.Take(now, 2)
	require.Equal(t, time.Hour, slow.Wait(now))
}

// Over a long time the rate is what was asked for, however much comes at once.
func TestDebtsRunOff(t *testing.T) {
	t.Parallel()
	begun := time.Unix(1, 0)
	for _, perSecond := range []float64{0.5, 7, 100} {
		b, at, handed := pace.PerSecond(perSecond), begun, 0
		for at.Sub(begun) < 1000*time.Second {
			b.Take(at, 90)
			handed += 90
			at = at.Add(b.Wait(at))
		}
		require.InDelta(t, perSecond, float64(handed)/at.Sub(begun).Seconds(), 0.05*perSecond+0.01, "%v", perSecond)
	}
}

func TestBucketOfAMinuteNeverGivesMore(t *testing.T) {
	t.Parallel()
	for _, perMinute := range []int{1, 7, 60, 1000} {
		now, given := time.Unix(1, 0), 0
		rate := pace.MinuteRate(perMinute)
		b := pace.NewBucket(rate.PerSecond, rate.Burst)
		for b.Take(now, 1).Delay(now) < time.Minute {
			given++
		}
		require.LessOrEqual(t, given, perMinute)
		require.GreaterOrEqual(t, given, perMinute-perMinute/10, perMinute)
	}
}

func TestNoBucketHasNoEnd(t *testing.T) {
	t.Parallel()
	for _, b := range []*pace.Bucket{nil, pace.PerSecond(0)} {
		require.Nil(t, b)
		require.Zero(t, b.Take(time.Now(), 1e9).Delay(time.Now()))
		require.Zero(t, b.Wait(time.Now()))
		require.Equal(t, 7, b.Most(7))
		b.Take(time.Now(), 1).GiveBack(time.Now())
	}
}

func TestWaitsDoubleUpToABound(t *testing.T) {
	t.Parallel()
	for failures, want := range map[int]time.Duration{0: 1, 1: 1, 2: 2, 3: 4, 4: 8, 5: 10, 6: 10, 1 << 40: 10} {
		require.Equal(t, want*time.Second, pace.Doubled(time.Second, 10*time.Second, failures))
	}
	require.Equal(t, time.Second, pace.Doubled(time.Minute, time.Second, 1))
	for range 100 {
		d := pace.Spread(time.Second)
		require.GreaterOrEqual(t, d, time.Second/2)
		require.LessOrEqual(t, d, time.Second)
	}
	require.Zero(t, pace.Spread(0))
}
