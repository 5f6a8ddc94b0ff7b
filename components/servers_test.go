// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/touchstone-otel/touchstone/internal/store/storetest/clickhousetest"
	"github.com/touchstone-otel/touchstone/internal/store/storetest/postgrestest"
)

// onServers returns the settings of the shipped config.yaml to keep spans in ClickHouse and
// everything else in PostgreSQL, in databases of the test's own.
func onServers(t *testing.T) []string {
	t.Helper()
	return append(onClickHouse(t), `extensions::store::control::postgres::dsn: "`+postgrestest.One(t).Database(t)+`"`)
}

// onClickHouse returns what keeps spans in ClickHouse, and everything else on the machine.
func onClickHouse(t *testing.T) []string {
	t.Helper()
	return []string{`extensions::store::spans::clickhouse::dsn: "` + clickhousetest.Database(t, t.Name()) + `"`}
}

// What holds whatever the stores are: those of one machine, those on servers, or one of
// each. One process of each kind does all of it, in environments of their own.
func TestWhateverTheStoresAre(t *testing.T) {
	t.Parallel()
	type check func(t *testing.T, h *collector)
	both := map[string]check{
		"verdicts can be filtered":           requireFilters,
		"status of a setup tells the truth":  requireSetupStatusTellsTheTruth,
		"a deleted setup judges no more":     requireDeletedSetupJudgesNoMore,
		"retention hides old spans":          requireRetentionHidesOldSpans,
		"tenants see their own spans only":   requireTenantsSeeTheirOwnSpansOnly,
		"span ids are of an environment":     requireTheSameSpanIDsInTwoEnvironmentsAreTwoSpans,
		"log records join their span":        requireMessagesInLogRecordsJoinTheirSpan,
		"hostile text comes back as it went": requireHostileTextComesBackAsItWent,
	}
	ofSpansAlone := map[string]check{ // whatever the control store is
		"recordings come out as expected": requireRecordings,
		"paging while spans come in":      requirePagingWhileSpansComeIn,
	}
	for name, stores := range map[string]struct {
		settings func(t *testing.T) []string
		checks   []map[string]check
	}{
		"DuckDB and SQLite":         {func(*testing.T) []string { return nil }, []map[string]check{both, ofSpansAlone}},
		"ClickHouse and SQLite":     {onClickHouse, []map[string]check{both}},
		"ClickHouse and PostgreSQL": {onServers, []map[string]check{both, ofSpansAlone}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newCollector(t, t.TempDir())
			h.settings = stores.settings(t)
			h.start(t)
			t.Cleanup(func() { h.stop() })
			for _, checks := range stores.checks {
				for name, holds := range checks {
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						holds(t, h)
					})
				}
			}
		})
	}
}

// A day in the life of one process whose stores are on servers: what is judged at once,
// what a model is asked later, pages, metrics and explanations, and all of that after
// a restart with nothing but the servers.
func TestServersAreAllThatIsKept(t *testing.T) {
	t.Parallel()
	j := startJudge(t)
	settings := append(onServers(t), "extensions::store::directory: /nowhere/to/be/found")
	h := startJudgedCollector(t, t.TempDir(), j, settings...)
	key := h.key(t, "ours")
	h.setup(t, key, "m", []string{judged, "char-count"}, []map[string]any{rule("gen_ai.system", "openai")})
	const spans = 6
	require.NoError(t, h.exportGRPC(t, key, judgedTraces(0, spans-1)))
	other := judgedTraces(spans-1, 1)
	body, err := ptraceotlp.NewExportRequestFromTraces(other).MarshalProto()
	require.NoError(t, err)
	code, _, answer := h.postOTLP(t, "/v1/traces", key, "application/x-protobuf", "", body)
	require.Equal(t, http.StatusOK, code, "%s", answer)
	require.NoError(t, h.exportGRPC(t, key, other), "sent again")
	stranger := h.key(t, "theirs")

	requireAll := func() {
		h.awaitStatus(t, key, "m", "completed")
		h.awaitDone(t, key, "m", spans)
		page := h.page(t, key)
		require.EqualValues(t, spans, page.Spans.TotalResults)
		for _, s := range page.Spans.Data {
			require.Contains(t, s.SpanAttributes, "evaluation.char-count.char_count")
			require.Equal(t, "true", s.SpanAttributes["evaluation."+judged+".pass"])
		}
		verdict := map[string]any{"id": "evaluation." + judged + ".pass", "operator": "equals", "value": true}
		require.EqualValues(t, spans, h.page(t, key, "filters", filters(t, verdict)).Spans.TotalResults)
		require.Zero(t, h.page(t, stranger).Spans.TotalResults)
		metrics := must[struct {
			Metrics struct {
				TotalPoints int `json:"total_points"`
			} `json:"metrics"`
		}](t, h, http.MethodPost, "/v2/metrics", key, map[string]any{"from_timestamp_sec": 0, "metric_name": judged + ".pass"})
		require.Equal(t, spans, metrics.Metrics.TotalPoints)
		for n := range spans {
			require.Len(t, h.records(t, key, n), 2)
			require.Equal(t, 1, j.asked()[n])
		}
		told := h.explain(t, key, "m", firstSpan(judgedTraces(0, 1)))
		require.True(t, told.Matched)
		require.Equal(t, "done", told.Evaluators[0].Status)
		require.Equal(t, "OK", h.awaitMonitoring(t, key, "OK").Status)
	}
	requireAll()
	h.stop()
	h.start(t)
	requireAll()
	require.NoError(t, h.exportGRPC(t, key, judgedTraces(0, 1)), "sent again after the restart")
	require.EqualValues(t, spans, h.page(t, key).Spans.TotalResults)
	h.awaitHealth(t, http.StatusOK)
}

// The answer of a client whose database cannot be reached is one that it tries again
// on, whichever of the two is away; what was acknowledged is there when both are back.
// Readiness tells of either, and liveness of neither.
func TestServersMayBeAway(t *testing.T) {
	t.Parallel()
	spans, control := clickhousetest.Own(t), postgrestest.Start(t)
	j := startJudge(t)
	h := startJudgedCollector(t, t.TempDir(), j,
		`extensions::store::spans::clickhouse::dsn: "`+spans.DSN()+`"`,
		`extensions::store::control::postgres::dsn: "`+control.Database(t)+`"`)
	key := h.key(t, "ours")
	h.setup(t, key, "m", []string{judged}, []map[string]any{rule("number", "1")})
	h.awaitStatus(t, key, "m", "waiting_for_spans")

	control.Stop(t)
	free := judgedTraces(0, 1)
	require.NoError(t, h.exportGRPC(t, key, free), "it has no pending evaluation")
	require.Equal(t, codes.Unavailable, status.Code(h.exportGRPC(t, key, judgedTraces(1, 1))))
	body, err := ptraceotlp.NewExportRequestFromTraces(free).MarshalProto()
	require.NoError(t, err)
	code, _, _ := h.postOTLP(t, "/v1/traces", key, "application/x-protobuf", "", body)
	require.Equal(t, http.StatusOK, code, "a key that is known")
	code, header, _ := h.postOTLP(t, "/v1/traces", "tl_made_elsewhere", "application/x-protobuf", "", body)
	require.Equal(t, http.StatusServiceUnavailable, code, "a key that cannot be checked")
	require.NotEmpty(t, header.Get("Retry-After"))
	require.Equal(t, codes.Unavailable, status.Code(h.exportGRPC(t, "tl_made_elsewhere", judgedTraces(0, 1))))
	isAlive := func() {
		t.Helper()
		code, answer := h.call(t, http.MethodGet, "/health/live", "", nil)
		require.Equal(t, http.StatusOK, code, "%s", answer)
	}
	h.awaitHealth(t, http.StatusServiceUnavailable)
	isAlive()
	control.Continue(t)
	h.awaitHealth(t, http.StatusOK)
	require.Eventually(t, func() bool { return h.exportGRPC(t, key, judgedTraces(1, 1)) == nil }, patience, 10*time.Millisecond)
	h.awaitDone(t, key, "m", 1)
	require.EqualValues(t, 2, h.page(t, key).Spans.TotalResults)
	code, _, _ = h.postOTLP(t, "/v1/traces", "tl_made_elsewhere", "application/x-protobuf", "", body)
	require.Equal(t, http.StatusUnauthorized, code)

	spans.Kill(t)
	require.Equal(t, codes.Unavailable, status.Code(h.exportGRPC(t, key, judgedTraces(2, 1))))
	code, _, _ = h.postOTLP(t, "/v1/traces", key, "application/x-protobuf", "", body)
	require.Equal(t, http.StatusServiceUnavailable, code)
	code, answer := h.call(t, http.MethodGet, "/v2/warehouse/spans?from_timestamp_sec=0", key, nil)
	require.Equal(t, http.StatusServiceUnavailable, code, "%s", answer)
	code, answer = h.call(t, http.MethodGet, "/v2/auto-monitor-setups/m", key, nil)
	require.Equal(t, http.StatusOK, code, "%s", answer)
	h.awaitHealth(t, http.StatusServiceUnavailable)
	isAlive()
	spans.Start(t)
	h.awaitHealth(t, http.StatusOK)
	require.NoError(t, h.exportGRPC(t, key, judgedTraces(2, 1)))
	require.EqualValues(t, 3, h.page(t, key).Spans.TotalResults)
}
