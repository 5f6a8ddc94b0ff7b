// SPDX-License-Identifier: Apache-2.0

package fair

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// waitsForSlot has a caller wait for a slot until so many wait.
func waitsForSlot(t *testing.T, slots *Slots[string], who string, n int64, got chan string) {
	t.Helper()
	go func() {
		if slots.Take(t.Context(), who) == nil {
			got <- who
		}
	}()
	require.Eventually(t, func() bool { return slots.Waiting() == n }, time.Minute, time.Millisecond)
}

func TestWhoHadLeastComesFirst(t *testing.T) {
	t.Parallel()
	slots, got := NewSlots[string](1), make(chan string, 9)
	require.NoError(t, slots.Take(t.Context(), "many"))
	for i := range int64(3) {
		waitsForSlot(t, slots, "many", i+1, got)
	}
	require.False(t, slots.Due("many", time.Hour), "no one else waits")
	waitsForSlot(t, slots, "few", 4, got)
	require.True(t, slots.Due("many", time.Millisecond))
	require.False(t, slots.Due("many", 0), "few had no less")
	slots.Give("many", time.Second)
	require.Equal(t, "few", <-got, "though it came last")
	waitsForSlot(t, slots, "few", 4, got)
	slots.Give("few", 100*time.Millisecond)
	require.Equal(t, "few", <-got, "it has still had less")
	slots.Give("few", time.Hour)
	require.Equal(t, "many", <-got)
	waitsForSlot(t, slots, "few", 3, got)
	require.False(t, slots.Due("many", 0), "who was idle for a moment begins where the others are")
	env := "many"
	for range 3 {
		slots.Give(env, time.Second)
		env = <-got
	}
	slots.Give(env, 0)
	require.Empty(t, slots.shares)
	require.Equal(t, 1, slots.free)
}

// Slots that are never given back keep no other caller out: as many are lent, and there are
// as many as before once they are given back after all.
func TestSlotsAreLentForThoseThatDoNotEnd(t *testing.T) {
	t.Parallel()
	const patience = 10 * time.Millisecond
	slots := NewSlots[string](2)
	slots.Lend(patience)
	begun := time.Now()
	require.NoError(t, slots.Take(t.Context(), "slow"))
	require.NoError(t, slots.Take(t.Context(), "slow"))
	require.Eventually(t, func() bool { return slots.Stuck() == 2 }, time.Minute, time.Millisecond)
	for range 3 {
		require.NoError(t, slots.Take(t.Context(), "quick"))
		slots.Give("quick", 0)
	}
	require.Equal(t, 1, slots.lent)
	require.NoError(t, slots.Take(t.Context(), "quick"))
	require.NoError(t, slots.Take(t.Context(), "quick"))
	require.Equal(t, 2, slots.lent)
	slots.Give("slow", time.Since(begun))
	slots.Give("slow", time.Since(begun))
	require.Eventually(t, func() bool { return slots.Stuck() == 2 }, time.Minute, time.Millisecond, "now those of quick")
	slots.Give("quick", patience)
	slots.Give("quick", patience)
	require.Zero(t, slots.Stuck())
	require.Zero(t, slots.lent)
	require.Equal(t, 2, slots.free)
	require.Empty(t, slots.shares)
}

func TestWhoLeavesGivesTheTurnBack(t *testing.T) {
	t.Parallel()
	slots := NewSlots[string](1)
	require.NoError(t, slots.Take(t.Context(), "a"))
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() { left <- slots.Take(ctx, "b") }()
	require.Eventually(t, func() bool { return slots.Waiting() == 1 }, time.Minute, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-left, context.Canceled)
	require.Zero(t, slots.Waiting())
	slots.Give("a", 0)
	require.Empty(t, slots.shares)
	require.Equal(t, 1, slots.free)
}

// Of slots with a reserve no caller has all while another had one lately, and who comes
// with little does not wait.
func TestOneSlotIsKeptForOthers(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	slots, got := NewReservingSlots[string](3, time.Minute, func() time.Time { return now }), make(chan string, 9)
	for range 3 {
		require.NoError(t, slots.Take(t.Context(), "many"), "it is alone")
	}
	waitsForSlot(t, slots, "few", 1, got)
	slots.Give("many", time.Second)
	require.Equal(t, "few", <-got)
	slots.Give("few", time.Second)
	now = now.Add(time.Minute - 1)
	waitsForSlot(t, slots, "many", 1, got)
	require.NoError(t, slots.Take(t.Context(), "few"), "it does not wait")
	slots.Give("many", time.Second)
	require.Equal(t, "many", <-got, "it has one of its two")
	waitsForSlot(t, slots, "many", 1, got)
	slots.Give("few", time.Second)
	require.EqualValues(t, 1, slots.Waiting(), "one is free, and kept")
	require.NoError(t, slots.Take(t.Context(), "third"))
	slots.Give("third", time.Second)
	now = now.Add(time.Minute + 1)
	slots.Give("many", time.Second)
	require.Equal(t, "many", <-got, "a minute long")
	require.NoError(t, slots.Take(t.Context(), "many"), "no one else came, and it has all of them")
	require.Zero(t, slots.free)
	for range 3 {
		slots.Give("many", time.Second)
	}
	require.Empty(t, slots.shares)
	require.Equal(t, 3, slots.free)
}
