// SPDX-License-Identifier: Apache-2.0

package freemem

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMemoryIsGivenBackAfterMuchWasHeld(t *testing.T) {
	t.Parallel()
	var freed atomic.Int64
	g := After(time.Millisecond, func() { freed.Add(1) })
	g.Used(249, 1000)
	require.Nil(t, g.timer, "that is little")
	g.Used(250, 1000)
	require.Eventually(t, func() bool { return freed.Load() == 1 }, time.Minute, time.Millisecond)

	g.Soon()
	require.Eventually(t, func() bool { return freed.Load() == 2 }, time.Minute, time.Millisecond)

	g.after = time.Hour
	g.Used(500, 1000)
	require.NotNil(t, g.timer)
	g.Used(500, 1000)
	g.End()
	g.give()
	g.Used(500, 1000)
	require.Nil(t, g.timer)
	require.EqualValues(t, 2, freed.Load(), "it has ended")
}
