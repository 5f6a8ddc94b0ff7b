// SPDX-License-Identifier: Apache-2.0

package sqldb

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/pace"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
)

// Processes that take at once get one after the other what is there, in any order, and
// a debt that is given back is none.
func TestProcessesHaveRatesTogether(t *testing.T) {
	t.Parallel()
	postgrestest.Each(t, func(t *testing.T, s *postgrestest.Server) {
		dsn := s.Database(t)
		const processes, each, burst = 5, 20, 10
		// So slow that the test takes none of the time that it measures.
		rate := pace.Rate{PerSecond: 1.0 / 3600, Burst: burst}
		var mu sync.Mutex
		var delays []time.Duration
		var wg sync.WaitGroup
		for range processes {
			p := openDSN(t, dsn).Paces()
			wg.Go(func() {
				for range each {
					d, err := p.Take(t.Context(), "judge/requests", rate, 1)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					delays = append(delays, d)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		slices.Sort(delays)
		require.Len(t, delays, processes*each)
		for i, d := range delays {
			require.InDelta(t, max(i+1-burst, 0), d.Hours(), 0.1, "%d", i)
		}

		p := openDSN(t, dsn).Paces()
		d, err := p.Take(t.Context(), "judge/requests", rate, -processes*each)
		require.NoError(t, err)
		require.Zero(t, d)
		d, err = p.Take(t.Context(), "judge/requests", rate, burst+2)
		require.NoError(t, err)
		require.InDelta(t, 2, d.Hours(), 0.1)
		d, err = p.Take(t.Context(), "judge/requests", rate, 0)
		require.NoError(t, err)
		require.InDelta(t, 2, d.Hours(), 0.1, "how long the debt lasts")
		d, err = p.Take(t.Context(), "judge/tokens", rate, burst)
		require.NoError(t, err)
		require.Zero(t, d, "another rate")
	})
	require.Nil(t, open(t, t.TempDir()+"/control.db").Paces(), "SQLite is one process's")
}
