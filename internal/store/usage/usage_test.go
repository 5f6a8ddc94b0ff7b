// SPDX-License-Identifier: Apache-2.0

package usage_test

import (
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/store/usage"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a meter of a real engine, with a clock that the test moves.
type bench struct {
	t   *testing.T
	db  *duckdb.DB
	m   *usage.Meter
	now atomic.Int64
	n   byte
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t}
	b.now.Store(time.Now().UTC().Truncate(24 * time.Hour).Add(12 * time.Hour).UnixNano())
	clock := func() time.Time { return time.Unix(0, b.now.Load()) }
	db, err := duckdb.Open(t.Context(), duckdb.Config{Dir: filepath.Join(t.TempDir(), "spans"), MinFreeBytes: -1, Now: clock})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	b.db, b.m = db, usage.New(db, db, clock)
	t.Cleanup(b.m.Close)
	return b
}

func (b *bench) pass(d time.Duration) { b.now.Add(int64(d)) }

// write stores a span with evaluations of the time that it is.
func (b *bench) write(env tenant.Environment, list ...eval.Evaluation) {
	b.t.Helper()
	b.n++
	for i := range list {
		list[i].Time = b.now.Load()
	}
	_, err := b.db.Write(b.t.Context(), store.Batch{Records: []store.Record{{
		Environment: env, Span: span.Span{TraceID: span.TraceID{1, b.n}, SpanID: span.ID{b.n}, Start: b.now.Load() - int64(time.Minute), Name: "chat"}, Evaluations: list,
	}}})
	require.NoError(b.t, err)
	_, _, err = b.db.CountKept(b.t.Context()) // so that all is in files, which have a size
	require.NoError(b.t, err)
}

func environment(id tenant.EnvironmentID, q tenant.Quota) tenant.Environment {
	return tenant.Environment{ID: id, Retention: 48 * time.Hour, Quota: q}
}

func owed(setup string) eval.Evaluation {
	return eval.Evaluation{SetupID: setup, Evaluator: "tone", Status: eval.Deferred, Reason: eval.ReasonModel}
}

func done(setup string, cost float64) eval.Evaluation {
	return eval.Evaluation{SetupID: setup, Evaluator: "tone", Status: eval.Done, Usage: eval.Usage{Cost: cost}}
}

func TestWhatAnEnvironmentHas(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	acme, beta := environment("acme", tenant.Quota{}), environment("beta", tenant.Quota{})
	b.write(acme, owed("a"), owed("b"), done("c", 0.25))
	b.write(acme, owed("a"), done("d", 0.5))
	b.write(beta, done("x", 8))
	got, err := b.m.Of(t.Context(), acme)
	require.NoError(t, err)
	require.Equal(t, int64(3), got.OwedEvaluations)
	require.InDelta(t, 0.75, got.DollarsToday, 1e-9, "of all setups")
	require.Positive(t, got.StoredBytes)
	require.Equal(t, b.db.Extent("acme", 0, b.now.Load()).Bytes, got.StoredBytes)

	b.write(acme, owed("a"))
	b.m.Spent("acme", 1)
	b.m.Spent("beta", 2)
	got, err = b.m.Of(t.Context(), acme)
	require.NoError(t, err)
	require.Equal(t, int64(3), got.OwedEvaluations, "as it was a moment ago")
	require.InDelta(t, 1.75, got.DollarsToday, 1e-9, "executions are known at once")
	b.pass(time.Hour)
	got, err = b.m.Of(t.Context(), acme)
	require.NoError(t, err)
	require.Equal(t, int64(4), got.OwedEvaluations)

	b.pass(12 * time.Hour)
	got, err = b.m.Of(t.Context(), acme)
	require.NoError(t, err)
	require.Zero(t, got.DollarsToday, "another day")
	none, err := b.m.Of(t.Context(), environment("nobody", tenant.Quota{}))
	require.NoError(t, err)
	require.Equal(t, usage.Usage{}, none)
}

func TestWhoHasAsMuchAsHeMayIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	acme := environment("acme", tenant.Quota{OwedEvaluations: 2, DollarsPerDay: 0.5})
	require.NoError(t, b.m.MaySend(t.Context(), acme))
	require.NoError(t, b.m.MaySpend(t.Context(), acme))
	_, err := b.m.Of(t.Context(), acme) // waits until it is measured, as long as that takes
	require.NoError(t, err)
	b.write(acme, owed("a"), owed("b"), done("c", 0.5))
	require.NoError(t, b.m.MaySend(t.Context(), acme), "it was measured just now")
	b.pass(time.Hour)
	require.Eventually(t, func() bool { err = b.m.MaySend(t.Context(), acme); return err != nil }, time.Minute, time.Millisecond)
	require.Equal(t, fault.Limited, fault.KindOf(err))
	require.Equal(t, "the environment has 2 pending evaluations, and may have 2: try again when some are done", fault.Message(err))
	require.Positive(t, fault.After(err))
	require.Error(t, b.m.MayOwe(t.Context(), acme))
	require.Eventually(t, func() bool { err = b.m.MaySpend(t.Context(), acme); return err != nil }, time.Minute, time.Millisecond)
	require.Equal(t, "models have cost 0.50 dollars today, and may cost 0.50", fault.Message(err))
	require.Equal(t, 11*time.Hour, fault.After(err), "until the day ends")
	require.GreaterOrEqual(t, b.m.Refused(usage.OwedEvaluations), int64(2))
	require.Equal(t, int64(1), b.m.Refused(usage.DollarsPerDay))

	_, err = b.m.Of(t.Context(), acme)
	require.NoError(t, err)
	stored := b.db.Extent("acme", 0, b.now.Load()).Bytes
	full := environment("acme", tenant.Quota{StoredBytes: stored})
	require.ErrorContains(t, b.m.MaySend(t.Context(), full), "bytes stored, and may have")
	full.Quota.StoredBytes++
	require.NoError(t, b.m.MaySend(t.Context(), full))
	require.NoError(t, b.m.MayOwe(t.Context(), full))
	require.NoError(t, b.m.MaySend(t.Context(), environment("beta", acme.Quota)), "others have their own")

	b.pass(11 * time.Hour)
	require.NoError(t, b.m.MaySpend(t.Context(), acme), "another day")
}

func TestNobodyIsRefusedForWhatCannotBeMeasured(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	require.NoError(t, b.db.Close())
	acme := environment("acme", tenant.Quota{OwedEvaluations: 1, DollarsPerDay: 1})
	require.NoError(t, b.m.MaySend(t.Context(), acme))
	require.NoError(t, b.m.MaySpend(t.Context(), acme))
	_, err := b.m.Of(t.Context(), acme)
	require.Equal(t, fault.Unavailable, fault.KindOf(err), "%v", err)
	b.m.Close()
	require.NoError(t, b.m.MaySend(t.Context(), environment("beta", acme.Quota)))
}
