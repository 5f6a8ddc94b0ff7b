// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fair"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestRequestsOfAgentsAreBounded(t *testing.T) {
	t.Parallel()
	b := newBounds()
	var leave []func()
	for range atOnce {
		left, err := b.enter(t.Context(), "acme")
		require.NoError(t, err)
		leave = append(leave, left)
	}
	entered := make(chan func())
	for range ofOne - atOnce {
		go func() {
			left, err := b.enter(t.Context(), "acme")
			if err != nil {
				t.Error(err)
			}
			entered <- left
		}()
	}
	for all, _ := b.held.All(); all.N < ofOne; all, _ = b.held.All() {
	}
	_, err := b.enter(t.Context(), "acme")
	require.True(t, fault.Is(err, fault.Limited), "%v", err)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.enter(gone, "globex")
	require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
	for _, left := range leave {
		left()
	}
	for range ofOne - atOnce {
		(<-entered)()
	}
	all, envs := b.held.All()
	require.Zero(t, all.N)
	require.Zero(t, envs)
	for i := range ofAll {
		_, err := b.held.Enter(tenant.EnvironmentID(rune('a'+i%26))+tenant.EnvironmentID(rune('a'+i/26)), 0, func(_, _ fair.Share) error { return nil })
		require.NoError(t, err)
	}
	_, err = b.enter(t.Context(), "acme")
	require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
}
