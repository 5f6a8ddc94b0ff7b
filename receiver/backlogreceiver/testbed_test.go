// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/pace"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
	"github.com/touchstone-otel/touchstone/internal/store/backlog"
	"github.com/touchstone-otel/touchstone/internal/store/cache"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb"
	"github.com/touchstone-otel/touchstone/internal/store/sqldb"
	"github.com/touchstone-otel/touchstone/internal/store/storetest"
	"github.com/touchstone-otel/touchstone/internal/store/usage"
	"github.com/touchstone-otel/touchstone/internal/tenant"
	"github.com/touchstone-otel/touchstone/internal/testbed/leaktest"
)

func TestMain(m *testing.M) { leaktest.Verify(m) }

// testbed are the real stores of one directory, with one environment.
type testbed struct {
	component.StartFunc
	component.ShutdownFunc
	t       *testing.T
	dir     string
	spans   store.Engine  // what receivers are given; tests may put something in front
	backlog store.Backlog // likewise
	real    *real
	control store.Control
	live    *cache.Cache
	usage   *usage.Meter
	// backfillLease and backfillRenewal are those of the receivers; 0 is theirs.
	backfillLease, backfillRenewal time.Duration
	clock                          func() time.Time // of the receivers, nil for time.Now
	env                            tenant.Environment
	base                           int64 // start of the first span

	ahead     *atomic.Int64 // how far the clock of usage is
	logs      *observer.ObservedLogs
	telemetry *componenttest.Telemetry
}

// now is a clock that tests set.
func (h *testbed) now() time.Time { return time.Now().Add(time.Duration(h.ahead.Load())) }

func (h *testbed) Engine() store.Engine   { return h.spans }
func (h *testbed) Backlog() store.Backlog { return h.backlog }
func (h *testbed) Control() *cache.Cache  { return h.live }
func (h *testbed) Usage() *usage.Meter    { return h.usage }
func (h *testbed) Paces() pace.Shared     { return nil }
func (h *testbed) Process() string        { return rand.Text() }
func (h *testbed) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{component.MustNewID("store"): h}
}

func newTestbed(t *testing.T) *testbed {
	t.Helper()
	h := &testbed{t: t, dir: t.TempDir(), ahead: new(atomic.Int64), base: time.Now().Add(-time.Minute).UnixNano()}
	db, err := duckdb.Open(t.Context(), duckdb.Config{Dir: h.dir + "/spans", MinFreeBytes: -1, Threads: 1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	owed, err := backlog.Open(t.Context(), db, time.Now)
	require.NoError(t, err)
	h.real = &real{Engine: owed.Over(db), Backlog: owed}
	h.spans, h.backlog = h.real.Engine, h.real.Backlog
	h.usage = usage.New(db, db, h.now)
	t.Cleanup(h.usage.Close)
	h.control = h.openControl()
	org, keys := storetest.NewOrganization("acme", "prd")
	h.env = keys[0].Environment
	require.NoError(t, h.control.CreateOrganization(t.Context(), org, keys))
	h.live, err = cache.New(t.Context(), h.control)
	require.NoError(t, err)
	h.telemetry = componenttest.NewTelemetry()
	t.Cleanup(func() { require.NoError(t, h.telemetry.Shutdown(context.WithoutCancel(t.Context()))) })
	return h
}

// openControl opens the control store, as another process would once more.
func (h *testbed) openControl() store.Control {
	h.t.Helper()
	c, err := sqldb.Open(h.t.Context(), sqldb.Config{Path: h.dir + "/control.db"})
	require.NoError(h.t, err)
	h.t.Cleanup(func() { require.NoError(h.t, c.Close()) })
	return c
}

// setup makes a setup with these evaluators that matches every span.
func (h *testbed) setup(id string, change func(*monitor.Setup), slugs ...string) monitor.Setup {
	h.t.Helper()
	s := storetest.NewSetup(h.env, id)
	s.Selector, s.Evaluators = nil, nil
	for _, slug := range slugs {
		s.Evaluators = append(s.Evaluators, monitor.SetupEvaluator{Slug: slug, Status: monitor.Pending})
	}
	if change != nil {
		change(&s)
	}
	require.NoError(h.t, store.Setups(h.live).Create(h.t.Context(), s))
	return s
}

// newSpan makes the n-th span, a child in a trace of its own.
func (h *testbed) newSpan(n int) span.Span {
	s := span.Span{
		Environment: h.env.Slug, ParentSpanID: span.ID{9}, Name: "chat", Kind: "SPAN_KIND_CLIENT", StatusCode: "STATUS_CODE_UNSET",
		Start: h.base + int64(n), Duration: 1000, Service: "shop",
		Resource:    span.NewAttributes([]span.Attribute{{Key: "service.name", Value: "shop"}}),
		Attributes:  span.NewAttributes([]span.Attribute{{Key: "round", Value: "one"}}),
		Completions: span.NewAttributes([]span.Attribute{{Key: "llm.completions.0.content", Value: "Far."}, {Key: "llm.completions.0.role", Value: "assistant"}}),
		InputTokens: span.NoTokens, OutputTokens: span.NoTokens, TotalTokens: span.NoTokens,
	}
	binary.BigEndian.PutUint64(s.TraceID[8:], uint64(n+1))
	binary.BigEndian.PutUint64(s.SpanID[:], uint64(n+1))
	return s
}

func owedBy(s monitor.Setup, slug string) eval.Evaluation {
	now := time.Now().Add(-time.Second).UnixNano()
	return eval.Evaluation{SetupID: s.ID, Evaluator: slug, Status: eval.Deferred, Reason: eval.ReasonModel, Time: now, Due: now}
}

func (h *testbed) write(s span.Span, list ...eval.Evaluation) {
	h.t.Helper()
	require.NoError(h.t, storetest.Write(h.t.Context(), h.real, []store.Record{{Environment: h.env, Span: s, Evaluations: list}}))
}

// evaluations returns the evaluations of the n-th span.
func (h *testbed) evaluations(n int) []eval.Evaluation {
	h.t.Helper()
	s := h.newSpan(n)
	list, err := h.real.Evaluations(h.t.Context(), []store.Location{{Environment: h.env.ID, Span: s.Key()}}, 0, store.Latest)
	require.NoError(h.t, err)
	if len(list) == 0 {
		return nil
	}
	return list[0].Evaluations
}

// await waits until the n-th span has one evaluation, of this status.
func (h *testbed) await(n int, want eval.Status) eval.Evaluation {
	h.t.Helper()
	var got []eval.Evaluation
	require.Eventually(h.t, func() bool {
		got = h.evaluations(n)
		return len(got) == 1 && got[0].Status == want
	}, patience, 2*time.Millisecond, "span %d is not %s", n, want)
	return got[0]
}

// patience is how long is waited for what comes by itself, on a machine that has much
// else to do.
const patience = time.Minute

func testConfig() *Config {
	cfg := createDefaultConfig().(*Config)
	cfg.PollInterval = 5 * time.Millisecond
	cfg.ShutdownGrace = patience
	return cfg
}

// start runs a receiver before a pipeline and gives what ends it.
func (h *testbed) start(cfg *Config, next consumer.ConsumeTracesFunc) (stop func()) {
	h.t.Helper()
	r := h.newReceiver(cfg, next)
	require.NoError(h.t, r.Start(h.t.Context(), h))
	var once sync.Once
	stop = func() { once.Do(func() { require.NoError(h.t, r.Shutdown(context.WithoutCancel(h.t.Context()))) }) }
	h.t.Cleanup(stop)
	return stop
}

func (h *testbed) newReceiver(cfg *Config, next consumer.ConsumeTracesFunc) *backlogReceiver {
	h.t.Helper()
	sink, err := consumer.NewTraces(next)
	require.NoError(h.t, err)
	set := receivertest.NewNopSettings(Type)
	set.TelemetrySettings = h.telemetry.NewTelemetrySettings()
	core, logs := observer.New(zapcore.InfoLevel)
	set.Logger, h.logs = zap.New(core), logs
	r, err := newReceiver(cfg, evaluators.Catalog(), set, sink)
	require.NoError(h.t, err)
	r.firstPause = time.Millisecond
	if h.backfillLease > 0 {
		r.backfillLease, r.backfillRenewal = h.backfillLease, h.backfillRenewal
	}
	if h.clock != nil {
		r.now = h.clock
	}
	r.owner = rand.Text()
	return r
}

// complete does to what a pipeline is handed what the rest of it would do: all
// pending is done.
func (h *testbed) complete(ctx context.Context, td ptrace.Traces) error {
	return h.completeOf(ctx, h.env, td)
}

func (h *testbed) completeOf(ctx context.Context, env tenant.Environment, td ptrace.Traces) error {
	var list []store.Evaluated
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				made := monitor.Carried(s.Attributes())
				for i := range made {
					made[i].Status, made[i].Reason, made[i].Due, made[i].Time = eval.Done, "", 0, time.Now().UnixNano()
					made[i].Attempts++
				}
				if len(made) > 0 {
					list = append(list, store.Evaluated{
						Environment: env.ID, Span: span.Key{TraceID: span.TraceID(s.TraceID()), SpanID: span.ID(s.SpanID()), Start: int64(s.StartTimestamp())},
						Content: monitor.CarriedContent(s.Attributes()), Evaluations: made,
					})
				}
			}
		}
	}
	return h.real.Complete(ctx, list)
}

// names are the span ids that were handed out, by their number.
func numbers(td ptrace.Traces) []int {
	var list []int
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				id := s.SpanID()
				list = append(list, int(binary.BigEndian.Uint64(id[:]))-1)
			}
		}
	}
	slices.Sort(list)
	return list
}

// real is a span store with its backlog.
type real struct {
	store.Engine
	store.Backlog
}

// stats asks for the pending evaluations, and expects an answer.
func (r *real) stats(t require.TestingT) store.BacklogStats {
	s, err := r.Stats(context.Background())
	require.NoError(t, err)
	return s
}

// front is a span store and its backlog with some methods replaced.
type front struct {
	store.Engine
	store.Backlog
	lease    func(ctx context.Context, now, until time.Time, limit int, but ...tenant.EnvironmentID) ([]store.Evaluated, error)
	get      func(ctx context.Context, env tenant.Environment, keys []span.Key, siblings int) ([]span.Span, error)
	complete func(ctx context.Context, list []store.Evaluated) error
	release  func(ctx context.Context, list []store.Evaluated, due time.Time) error
	renew    func(ctx context.Context, list []store.Evaluated, held, until time.Time) error
	reserve  func(ctx context.Context, b store.Budget, of store.Location, evaluator string) (store.Reserved, error)
	find     func(ctx context.Context, env tenant.Environment, q query.Query) (query.Page, error)
}

func (f *front) Lease(ctx context.Context, now, until time.Time, limit int, but ...tenant.EnvironmentID) ([]store.Evaluated, error) {
	if f.lease != nil {
		return f.lease(ctx, now, until, limit, but...)
	}
	return f.Backlog.Lease(ctx, now, until, limit, but...)
}

func (f *front) Get(ctx context.Context, env tenant.Environment, keys []span.Key, siblings int) ([]span.Span, error) {
	if f.get != nil {
		return f.get(ctx, env, keys, siblings)
	}
	return f.Engine.Get(ctx, env, keys, siblings)
}

func (f *front) Complete(ctx context.Context, list []store.Evaluated) error {
	if f.complete != nil {
		return f.complete(ctx, list)
	}
	return f.Backlog.Complete(ctx, list)
}

func (f *front) Release(ctx context.Context, list []store.Evaluated, due time.Time) error {
	if f.release != nil {
		return f.release(ctx, list, due)
	}
	return f.Backlog.Release(ctx, list, due)
}

func (f *front) Renew(ctx context.Context, list []store.Evaluated, held, until time.Time) error {
	if f.renew != nil {
		return f.renew(ctx, list, held, until)
	}
	return f.Backlog.Renew(ctx, list, held, until)
}

func (f *front) Reserve(ctx context.Context, b store.Budget, of store.Location, evaluator string) (store.Reserved, error) {
	if f.reserve != nil {
		return f.reserve(ctx, b, of, evaluator)
	}
	return f.Backlog.Reserve(ctx, b, of, evaluator)
}

func (f *front) Search(ctx context.Context, env tenant.Environment, q query.Query) (query.Page, error) {
	if f.find != nil {
		return f.find(ctx, env, q)
	}
	return f.Engine.Search(ctx, env, q)
}
