// SPDX-License-Identifier: Apache-2.0

package fair

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRecentTellsCallersApart(t *testing.T) {
	t.Parallel()
	var r Recent[string]
	now := time.Unix(1000, 0)
	require.False(t, r.Another("a", now, time.Second), "no caller came yet")
	r.Note("a", now)
	r.Note("a", now.Add(time.Second))
	require.False(t, r.Another("a", now.Add(time.Second), time.Second))
	require.True(t, r.Another("b", now.Add(time.Second), time.Second))
	require.False(t, r.Several(now.Add(time.Second), time.Second))
	r.Note("b", now.Add(2*time.Second))
	require.True(t, r.Another("a", now.Add(3*time.Second-1), time.Second))
	require.True(t, r.Another("b", now.Add(2*time.Second-1), time.Second), "a came less than a second ago")
	require.True(t, r.Several(now.Add(2*time.Second-1), time.Second))
	require.False(t, r.Several(now.Add(2*time.Second), time.Second))
	r.Note("c", now.Add(2*time.Second))
	require.True(t, r.Another("a", now.Add(3*time.Second-1), time.Second))
	require.False(t, r.Another("a", now.Add(3*time.Second), time.Second))
}
