// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
)

// A setup that waits for a hundred spans completes at the hundredth, whichever of three
// processes they came to and though one of them was restarted; never earlier.
func TestMatchesAreCountedForAllProcesses(t *testing.T) {
	t.Parallel()
	const wants, each = 100, 33
	path := filepath.Join(t.TempDir(), "control.db")
	var all []*monitorProcessor
	var lives []*cache.Cache
	for i := range 3 {
		control, err := sqldb.Open(t.Context(), sqldb.Config{Path: path})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, control.Close()) })
		live, err := cache.New(t.Context(), control)
		require.NoError(t, err)
		if i == 0 {
			found(t, live)
			s := createSetup(t, live, "one", []string{"char-count"})
			s.MinSpans = wants
			_, err = store.Setups(live).Replace(t.Context(), s)
			require.NoError(t, err)
		}
		require.NoError(t, live.Refresh(t.Context()))
		p, _ := startProcessor(t, live, evaluators.Catalog(), defaults())
		all, lives = append(all, p), append(lives, live)
	}
	await(t, lives[0], "one", monitor.WaitingForSpans)
	send := func(p *monitorProcessor, n int) {
		for range n {
			_, err := p.processTraces(t.Context(), stamped(1))
			require.NoError(t, err)
		}
	}
	told := func(n int64) {
		require.Eventually(t, func() bool {
			for _, live := range lives {
				require.NoError(t, live.Refresh(t.Context()))
			}
			s, err := store.Setups(lives[0]).Get(t.Context(), env, "one")
			require.NoError(t, err)
			require.Equal(t, monitor.WaitingForSpans, s.Status)
			return s.MatchedSpans() == n
		}, patience, 10*time.Millisecond)
	}
	for _, p := range all {
		send(p, each)
	}
	told(3 * each)
	require.NoError(t, all[1].shutdown(context.Background()))
	all[1], _ = startProcessor(t, lives[1], evaluators.Catalog(), defaults())
	told(3 * each)
	send(all[1], 1)
	s := await(t, lives[0], "one", monitor.Completed)
	require.EqualValues(t, wants, s.MatchedSpans())
}
