// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCautionGrowsWithFailuresAndEndsWithSuccess(t *testing.T) {
	t.Parallel()
	c := newBackoff(32, firstPause)
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
