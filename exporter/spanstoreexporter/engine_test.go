// SPDX-License-Identifier: Apache-2.0

package spanstoreexporter

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/backlog"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// An evaluation is pending when its span arrives, and in its place when it was
// made: in the real engine, with a sibling and a span that is not stored.
func TestOwedEvaluationsAreReplacedInTheStore(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	db, err := duckdb.Open(t.Context(), duckdb.Config{Dir: t.TempDir(), MinFreeBytes: -1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	work, err := backlog.Open(t.Context(), db, time.Now)
	require.NoError(t, err)
	h.spans, h.backlog = work.Over(db), work
	e := startTraces(t, h)
	prd, _ := environments()

	now := time.Now()
	local := eval.Evaluation{
		SetupID: "s1", Evaluator: "char-count", Status: eval.Done, Backend: eval.Deterministic, Time: now.UnixNano(),
		Outputs: []eval.Output{{Name: "char_count", Value: int64(3)}},
	}
	owed := eval.Evaluation{
		SetupID: "s1", Evaluator: "answer-relevancy", Status: eval.Deferred, Reason: eval.ReasonModel, Time: now.UnixNano() + 1, Due: now.UnixNano() + 1,
	}
	arriving := stamped()
	s := arriving.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
	s.SetSpanID(pcommon.SpanID{1})
	s.SetStartTimestamp(pcommon.NewTimestampFromTime(now))
	monitor.Carry(s.Attributes(), []eval.Evaluation{local, owed})
	require.NoError(t, e.ConsumeTraces(t.Context(), arriving))
	evaluations := func() []eval.Evaluation {
		list, err := db.Evaluations(t.Context(), []store.Location{{Environment: prd.ID, Span: keyOf(1)}}, 0, store.Latest)
		require.NoError(t, err)
		require.Len(t, list, 1)
		return list[0].Evaluations
	}
	require.Equal(t, []eval.Evaluation{local, owed}, evaluations())

	made := verdict("s1", true)
	made.Time = now.UnixNano() + 2
	passing := ptrace.NewTraces()
	appendStored(passing, prd, 1, made)
	appendStored(passing, prd, 2)                      // a sibling
	appendStored(passing, prd, 3, verdict("s1", true)) // never stored
	for _, rs := range passing.ResourceSpans().All() { // what was stored goes with its start
		rs.ScopeSpans().At(0).Spans().At(0).SetStartTimestamp(pcommon.NewTimestampFromTime(now))
	}
	for range 2 { // sending again changes nothing
		require.NoError(t, e.ConsumeTraces(t.Context(), passing))
		require.Equal(t, []eval.Evaluation{local, made}, evaluations())
	}

	page, err := db.Search(t.Context(), prd, query.Query{
		From: now.Add(-time.Minute).UnixNano(), To: now.Add(time.Minute).UnixNano(), Limit: 10, Order: query.Order{By: query.SortTimestamp},
	})
	require.NoError(t, err)
	require.Len(t, page.Spans, 1, "only what arrived is a span")
	for _, a := range append(page.Spans[0].Attributes, page.Spans[0].Resource...) {
		require.NotContains(t, a.Key, tenant.AttributeDeferred)
		require.NotContains(t, a.Key, "touchstone.")
	}
}
