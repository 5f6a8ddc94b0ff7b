// SPDX-License-Identifier: Apache-2.0

package pace

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// waits has somebody wait for a turn until so many wait.
func waits(t *testing.T, turns *Turns[string], who string, n int64, got chan string) {
	t.Helper()
	go func() {
		if turns.Take(t.Context(), who) == nil {
			got <- who
		}
	}()
	require.Eventually(t, func() bool { return turns.Waiting() == n }, time.Minute, time.Millisecond)
}

func TestWhoHadLeastComesFirst(t *testing.T) {
	t.Parallel()
	turns, got := NewTurns[string](1), make(chan string, 9)
	require.NoError(t, turns.Take(t.Context(), "many"))
	for i := range int64(3) {
		waits(t, turns, "many", i+1, got)
	}
	require.False(t, turns.Due("many", time.Hour), "nobody else waits")
	waits(t, turns, "few", 4, got)
	require.True(t, turns.Due("many", time.Millisecond))
	require.False(t, turns.Due("many", 0), "few had no less")
	turns.Give("many", time.Second)
	require.Equal(t, "few", <-got, "though it came last")
	waits(t, turns, "few", 4, got)
	turns.Give("few", 100*time.Millisecond)
	require.Equal(t, "few", <-got, "it has still had less")
	turns.Give("few", time.Hour)
	require.Equal(t, "many", <-got)
	waits(t, turns, "few", 3, got)
	require.False(t, turns.Due("many", 0), "who was idle for a moment begins where the others are")
	env := "many"
	for range 3 {
		turns.Give(env, time.Second)
		env = <-got
	}
	turns.Give(env, 0)
	require.Empty(t, turns.shares)
	require.Equal(t, 1, turns.free)
}

// Turns that do not end keep nobody else from his: as many are lent, and there are as many
// as before when they have ended after all.
func TestTurnsAreLentForThoseThatDoNotEnd(t *testing.T) {
	t.Parallel()
	const patience = 10 * time.Millisecond
	turns := NewTurns[string](2)
	turns.Lend(patience)
	begun := time.Now()
	require.NoError(t, turns.Take(t.Context(), "slow"))
	require.NoError(t, turns.Take(t.Context(), "slow"))
	require.Eventually(t, func() bool { return turns.Stuck() == 2 }, time.Minute, time.Millisecond)
	for range 3 {
		require.NoError(t, turns.Take(t.Context(), "quick"))
		turns.Give("quick", 0)
	}
	require.Equal(t, 1, turns.lent)
	require.NoError(t, turns.Take(t.Context(), "quick"))
	require.NoError(t, turns.Take(t.Context(), "quick"))
	require.Equal(t, 2, turns.lent)
	turns.Give("slow", time.Since(begun))
	turns.Give("slow", time.Since(begun))
	require.Eventually(t, func() bool { return turns.Stuck() == 2 }, time.Minute, time.Millisecond, "now those of quick")
	turns.Give("quick", patience)
	turns.Give("quick", patience)
	require.Zero(t, turns.Stuck())
	require.Zero(t, turns.lent)
	require.Equal(t, 2, turns.free)
	require.Empty(t, turns.shares)
}

func TestWhoLeavesGivesTheTurnBack(t *testing.T) {
	t.Parallel()
	turns := NewTurns[string](1)
	require.NoError(t, turns.Take(t.Context(), "a"))
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() { left <- turns.Take(ctx, "b") }()
	require.Eventually(t, func() bool { return turns.Waiting() == 1 }, time.Minute, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-left, context.Canceled)
	require.Zero(t, turns.Waiting())
	turns.Give("a", 0)
	require.Empty(t, turns.shares)
	require.Equal(t, 1, turns.free)
}

// Of turns with a reserve nobody has all while somebody else had one lately, and who comes
// with little does not wait.
func TestOneTurnIsKeptForOthers(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	turns, got := NewReservingTurns[string](3, time.Minute, func() time.Time { return now }), make(chan string, 9)
	for range 3 {
		require.NoError(t, turns.Take(t.Context(), "many"), "it is alone")
	}
	waits(t, turns, "few", 1, got)
	turns.Give("many", time.Second)
	require.Equal(t, "few", <-got)
	turns.Give("few", time.Second)
	now = now.Add(time.Minute)
	waits(t, turns, "many", 1, got)
	require.NoError(t, turns.Take(t.Context(), "few"), "it does not wait")
	turns.Give("many", time.Second)
	require.Equal(t, "many", <-got, "it has one of its two")
	waits(t, turns, "many", 1, got)
	turns.Give("few", time.Second)
	require.EqualValues(t, 1, turns.Waiting(), "one is free, and kept")
	require.NoError(t, turns.Take(t.Context(), "third"))
	turns.Give("third", time.Second)
	now = now.Add(time.Minute + 1)
	turns.Give("many", time.Second)
	require.Equal(t, "many", <-got, "a minute long")
	require.NoError(t, turns.Take(t.Context(), "many"), "nobody else came, and it has all of them")
	require.Zero(t, turns.free)
	for range 3 {
		turns.Give("many", time.Second)
	}
	require.Empty(t, turns.shares)
	require.Equal(t, 3, turns.free)
}
