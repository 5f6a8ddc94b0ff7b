// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
)

// Two collectors with directories of their own share a control store in PostgreSQL: a
// key and a setup that are made at one work at the other at once, and a key that is revoked
// at one, or whose end comes, is refused at the other within a second.
func TestCollectorsShareAControlStoreInPostgres(t *testing.T) {
	t.Parallel()
	postgrestest.Each(t, func(t *testing.T, s *postgrestest.Server) {
		shared := "extensions::store::control::postgres::dsn: \"" + s.Database(t) + "\""
		collectors := make([]*collector, 2)
		for i := range collectors {
			h := newCollector(t, t.TempDir())
			h.settings = append(h.settings, shared)
			h.start(t)
			t.Cleanup(h.stop)
			collectors[i] = h
		}
		here, there := collectors[0], collectors[1]
		key := here.key(t, "acme")
		send := connected(t, there)
		require.NoError(t, send(key), "at the first try")

		here.setup(t, key, "lengths", []string{"char-count"}, nil)
		there.awaitStatus(t, key, "lengths", "waiting_for_spans")
		require.NoError(t, there.exportGRPC(t, key, someTraces(2, 1)))
		there.awaitStatus(t, key, "lengths", "completed")
		require.EqualValues(t, 2, there.page(t, key).Spans.TotalResults)
		there.awaitVerdicts(t, key, "evaluation.char-count.char_count", 1)
		judged := map[string]any{"id": "evaluation.char-count.char_count", "operator": "exists"}
		require.EqualValues(t, 1, there.page(t, key, "filters", filters(t, judged)).Spans.TotalResults, "the one that came after the setup")
		here.awaitStatus(t, key, "lengths", "completed")

		deleted, _ := here.call(t, http.MethodDelete, "/v2/auto-monitor-setups/lengths", key, nil)
		require.Less(t, deleted, 300)
		require.Eventually(t, func() bool {
			code, _ := there.call(t, http.MethodGet, "/v2/auto-monitor-setups/lengths", key, nil)
			return code == http.StatusNotFound
		}, patience, time.Millisecond)
		require.Equal(t, codes.Unauthenticated, status.Code(send("tl_unknown")))
		requireKeysEnd(t, here, there)
	})
}
