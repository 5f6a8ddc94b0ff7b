// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/pace"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// A batch of one environment lets another's pass between two spans.
func TestBatchesPassTheirTurn(t *testing.T) {
	t.Parallel()
	turns, got := pace.NewTurns[tenant.EnvironmentID](1), make(chan error, 1)
	long := turn{of: turns}
	require.NoError(t, long.begin(t.Context(), "long"))
	require.NoError(t, long.begin(t.Context(), "long"), "it has it")
	go func() { got <- turns.Take(t.Context(), "short") }()
	require.Eventually(t, func() bool { return turns.Waiting() == 1 }, patience, time.Millisecond)
	passed := make(chan error)
	go func() { passed <- long.pass(t.Context()) }()
	require.NoError(t, <-got)
	turns.Give("short", 0)
	require.NoError(t, <-passed)
	long.end()
	long.end()
	require.NoError(t, turns.Take(t.Context(), "short"), "it is free")
}
