// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// waits has an environment wait for a turn until so many wait.
func waits(t *testing.T, turns *turns, env tenant.EnvironmentID, n int64, got chan tenant.EnvironmentID) {
	t.Helper()
	go func() {
		if turns.take(t.Context(), env) == nil {
			got <- env
		}
	}()
	require.Eventually(t, func() bool { return turns.waiting.Load() == n }, 5*time.Second, time.Millisecond)
}

func TestWhoHadLeastComesFirst(t *testing.T) {
	t.Parallel()
	turns, got := newTurns(1), make(chan tenant.EnvironmentID, 9)
	require.NoError(t, turns.take(t.Context(), "many"))
	for i := range int64(3) {
		waits(t, turns, "many", i+1, got)
	}
	require.False(t, turns.due("many", time.Hour), "nobody else waits")
	waits(t, turns, "few", 4, got)
	require.True(t, turns.due("many", time.Millisecond))
	require.False(t, turns.due("many", 0), "few had no less")
	turns.give("many", time.Second)
	require.Equal(t, tenant.EnvironmentID("few"), <-got, "though it came last")
	waits(t, turns, "few", 4, got)
	turns.give("few", 100*time.Millisecond)
	require.Equal(t, tenant.EnvironmentID("few"), <-got, "it has still had less")
	turns.give("few", time.Hour)
	require.Equal(t, tenant.EnvironmentID("many"), <-got)
	waits(t, turns, "few", 3, got)
	require.False(t, turns.due("many", 0), "who was idle for a moment begins where the others are")
	env := tenant.EnvironmentID("many")
	for range 3 {
		turns.give(env, time.Second)
		env = <-got
	}
	turns.give(env, 0)
	require.Empty(t, turns.shares)
	require.Equal(t, 1, turns.free)
}

func TestWhoLeavesGivesTheTurnBack(t *testing.T) {
	t.Parallel()
	turns := newTurns(1)
	require.NoError(t, turns.take(t.Context(), "a"))
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() { left <- turns.take(ctx, "b") }()
	require.Eventually(t, func() bool { return turns.waiting.Load() == 1 }, 5*time.Second, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-left, context.Canceled)
	require.Zero(t, turns.waiting.Load())
	turns.give("a", 0)
	require.Empty(t, turns.shares)
	require.Equal(t, 1, turns.free)
}

// A batch of one environment lets another's pass between two spans.
func TestBatchesPassTheirTurn(t *testing.T) {
	t.Parallel()
	turns, got := newTurns(1), make(chan tenant.EnvironmentID, 1)
	long := turn{of: turns}
	require.NoError(t, long.begin(t.Context(), "long"))
	require.NoError(t, long.begin(t.Context(), "long"), "it has it")
	waits(t, turns, "short", 1, got)
	passed := make(chan error)
	go func() { passed <- long.pass(t.Context()) }()
	require.Equal(t, tenant.EnvironmentID("short"), <-got)
	turns.give("short", 0)
	require.NoError(t, <-passed)
	long.end()
	long.end()
	require.Empty(t, turns.shares)
}
