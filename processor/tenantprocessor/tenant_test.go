// SPDX-License-Identifier: Apache-2.0

package tenantprocessor

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.uber.org/goleak"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/partial"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func as(tb testing.TB, p *tenant.Principal) context.Context {
	tb.Helper()
	return client.NewContext(tb.Context(), client.Info{Auth: p})
}

func asEnvironment(tb testing.TB, id tenant.EnvironmentID) context.Context {
	tb.Helper()
	return as(tb, &tenant.Principal{Environment: tenant.Environment{ID: id}, Scope: tenant.Full})
}

// forged are attributes of which only two are the client's to write.
func forged(m pcommon.Map) {
	m.PutStr(tenant.AttributeEnvironmentID, "env-a")
	m.PutStr("service.name", "shop")
	m.PutEmptySlice(tenant.AttributeEvaluations).AppendEmpty().SetStr("forged")
	m.PutBool("evaluation.pii-detector.has_pii", false)
	m.PutStr("touchstone.", "x")
	m.PutStr("Touchstone.Environment.Id", "kept: nothing reads it")
	m.PutEmptyMap("evaluation.")
}

var (
	clean   = map[string]any{"service.name": "shop", "Touchstone.Environment.Id": "kept: nothing reads it"}
	stamped = map[string]any{
		"service.name": "shop", "Touchstone.Environment.Id": "kept: nothing reads it",
		tenant.AttributeEnvironmentID: "env-b",
	}
)

func forgedTraces() ptrace.Traces {
	td := ptrace.NewTraces()
	for range 2 {
		rs := td.ResourceSpans().AppendEmpty()
		forged(rs.Resource().Attributes())
		ss := rs.ScopeSpans().AppendEmpty()
		forged(ss.Scope().Attributes())
		s := ss.Spans().AppendEmpty()
		s.SetTraceID([16]byte{1})
		s.SetSpanID([8]byte{2})
		forged(s.Attributes())
		forged(s.Events().AppendEmpty().Attributes())
		forged(s.Links().AppendEmpty().Attributes())
	}
	td.ResourceSpans().AppendEmpty() // without spans
	return td
}

func TestTracesAreStampedAndStripped(t *testing.T) {
	t.Parallel()
	sink := new(consumertest.TracesSink)
	p, err := newTraces(t.Context(), processortest.NewNopSettings(Type), createDefaultConfig(), sink)
	require.NoError(t, err)
	require.True(t, p.Capabilities().MutatesData)
	require.NoError(t, p.ConsumeTraces(asEnvironment(t, "env-b"), forgedTraces()))

	td := sink.AllTraces()[0]
	require.Equal(t, 3, td.ResourceSpans().Len())
	for _, rs := range td.ResourceSpans().All() {
		if rs.ScopeSpans().Len() == 0 {
			require.Equal(t, map[string]any{tenant.AttributeEnvironmentID: "env-b"}, rs.Resource().Attributes().AsRaw())
			continue
		}
		require.Equal(t, stamped, rs.Resource().Attributes().AsRaw())
		ss := rs.ScopeSpans().At(0)
		s := ss.Spans().At(0)
		for _, m := range []pcommon.Map{
			ss.Scope().Attributes(), s.Attributes(), s.Events().At(0).Attributes(), s.Links().At(0).Attributes(),
		} {
			require.Equal(t, clean, m.AsRaw())
		}
	}
}

// Selectors, the store and the API know attributes only, so schema URLs become some.
// A client's own attribute stays where there is no URL.
func TestSchemaURLsBecomeAttributes(t *testing.T) {
	t.Parallel()
	const resource, scope = "https://opentelemetry.io/schemas/1.37.0", "https://opentelemetry.io/schemas/1.41.0"
	sink := new(consumertest.TracesSink)
	p, err := newTraces(t.Context(), processortest.NewNopSettings(Type), createDefaultConfig(), sink)
	require.NoError(t, err)
	td := ptrace.NewTraces()
	for _, urls := range [][2]string{{resource, scope}, {"", ""}} {
		rs := td.ResourceSpans().AppendEmpty()
		rs.SetSchemaUrl(urls[0])
		ss := rs.ScopeSpans().AppendEmpty()
		ss.SetSchemaUrl(urls[1])
		s := ss.Spans().AppendEmpty()
		s.SetTraceID([16]byte{1})
		s.SetSpanID([8]byte{2})
		s.Attributes().PutStr("otel.scope.schema_url", "the client's")
	}
	require.NoError(t, p.ConsumeTraces(asEnvironment(t, "env-b"), td))
	got := sink.AllTraces()[0].ResourceSpans()
	require.Equal(t, map[string]any{tenant.AttributeEnvironmentID: "env-b", "otel.resource.schema_url": resource}, got.At(0).Resource().Attributes().AsRaw())
	require.Equal(t, map[string]any{"otel.scope.schema_url": scope}, got.At(0).ScopeSpans().At(0).Spans().At(0).Attributes().AsRaw())
	require.Equal(t, map[string]any{tenant.AttributeEnvironmentID: "env-b"}, got.At(1).Resource().Attributes().AsRaw())
	require.Equal(t, map[string]any{"otel.scope.schema_url": "the client's"}, got.At(1).ScopeSpans().At(0).Spans().At(0).Attributes().AsRaw())
}

// TestRepeatedKeys: protobuf lets a client send one key twice, where a look-up
// would find the first and a store might keep the last.
func TestRepeatedKeys(t *testing.T) {
	t.Parallel()
	const forgery = `{"key":"touchstone.environment.id","value":{"stringValue":"env-a"}}`
	req := ptraceotlp.NewExportRequest()
	require.NoError(t, req.UnmarshalJSON([]byte(
		`{"resourceSpans":[{"resource":{"attributes":[`+forgery+`,`+forgery+`,`+forgery+`]}}]}`)))
	sink := new(consumertest.TracesSink)
	p, err := newTraces(t.Context(), processortest.NewNopSettings(Type), createDefaultConfig(), sink)
	require.NoError(t, err)
	require.Equal(t, 3, req.Traces().ResourceSpans().At(0).Resource().Attributes().Len())
	require.NoError(t, p.ConsumeTraces(asEnvironment(t, "env-b"), req.Traces()))
	attributes := sink.AllTraces()[0].ResourceSpans().At(0).Resource().Attributes()
	require.Equal(t, 1, attributes.Len())
	require.Equal(t, map[string]any{tenant.AttributeEnvironmentID: "env-b"}, attributes.AsRaw())
}

func TestLogsAreStampedAndStripped(t *testing.T) {
	t.Parallel()
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	forged(rl.Resource().Attributes())
	sl := rl.ScopeLogs().AppendEmpty()
	forged(sl.Scope().Attributes())
	forged(sl.LogRecords().AppendEmpty().Attributes())

	sink := new(consumertest.LogsSink)
	p, err := newLogs(t.Context(), processortest.NewNopSettings(Type), createDefaultConfig(), sink)
	require.NoError(t, err)
	require.True(t, p.Capabilities().MutatesData)
	require.NoError(t, p.ConsumeLogs(asEnvironment(t, "env-b"), ld))
	rl = sink.AllLogs()[0].ResourceLogs().At(0)
	require.Equal(t, stamped, rl.Resource().Attributes().AsRaw())
	require.Equal(t, clean, rl.ScopeLogs().At(0).Scope().Attributes().AsRaw())
	require.Equal(t, clean, rl.ScopeLogs().At(0).LogRecords().At(0).Attributes().AsRaw())
}

func TestMetricsAreStampedAndStripped(t *testing.T) {
	t.Parallel()
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	forged(rm.Resource().Attributes())
	sm := rm.ScopeMetrics().AppendEmpty()
	forged(sm.Scope().Attributes())
	var maps []pcommon.Map
	metric := func() pmetric.Metric {
		m := sm.Metrics().AppendEmpty()
		maps = append(maps, m.Metadata())
		return m
	}
	gauge := metric().SetEmptyGauge().DataPoints().AppendEmpty()
	sum := metric().SetEmptySum().DataPoints().AppendEmpty()
	histogram := metric().SetEmptyHistogram().DataPoints().AppendEmpty()
	exponential := metric().SetEmptyExponentialHistogram().DataPoints().AppendEmpty()
	summary := metric().SetEmptySummary().DataPoints().AppendEmpty()
	metric() // of no type
	maps = append(maps,
		gauge.Attributes(), gauge.Exemplars().AppendEmpty().FilteredAttributes(),
		sum.Attributes(), sum.Exemplars().AppendEmpty().FilteredAttributes(),
		histogram.Attributes(), histogram.Exemplars().AppendEmpty().FilteredAttributes(),
		exponential.Attributes(), exponential.Exemplars().AppendEmpty().FilteredAttributes(),
		summary.Attributes())
	for _, m := range maps {
		forged(m)
	}

	p, err := newMetrics(t.Context(), processortest.NewNopSettings(Type), createDefaultConfig(), consumertest.NewNop())
	require.NoError(t, err)
	require.True(t, p.Capabilities().MutatesData)
	require.NoError(t, p.ConsumeMetrics(asEnvironment(t, "env-b"), md))
	require.Equal(t, stamped, rm.Resource().Attributes().AsRaw())
	for _, m := range append(maps, sm.Scope().Attributes()) {
		require.Equal(t, clean, m.AsRaw())
	}
}

func TestDataWithoutAnEnvironmentIsRefused(t *testing.T) {
	t.Parallel()
	sink := new(consumertest.TracesSink)
	set, cfg := processortest.NewNopSettings(Type), createDefaultConfig()
	traces, err := newTraces(t.Context(), set, cfg, sink)
	require.NoError(t, err)
	logs, err := newLogs(t.Context(), set, cfg, consumertest.NewErr(errRefused))
	require.NoError(t, err)
	metrics, err := newMetrics(t.Context(), set, cfg, consumertest.NewErr(errRefused))
	require.NoError(t, err)

	callers := map[string]context.Context{
		"nobody":                      t.Context(),
		"nil":                         as(t, nil),
		"the operator":                as(t, &tenant.Principal{Operator: true}),
		"an operator of an impostor":  as(t, &tenant.Principal{Operator: true, Environment: tenant.Environment{ID: "env-a"}}),
		"an environment without name": asEnvironment(t, ""),
		"a key that reads":            as(t, &tenant.Principal{Environment: tenant.Environment{ID: "env-a"}, Scope: tenant.Read}),
		"a key of no scope":           as(t, &tenant.Principal{Environment: tenant.Environment{ID: "env-a"}}),
		"another authority":           client.NewContext(t.Context(), client.Info{Auth: stranger{}}),
		"metadata": client.NewContext(t.Context(), client.Info{Metadata: client.NewMetadata(map[string][]string{
			tenant.AttributeEnvironmentID: {"env-a"},
		})}),
	}
	for name, ctx := range callers {
		for _, err := range []error{
			traces.ConsumeTraces(ctx, forgedTraces()),
			logs.ConsumeLogs(ctx, plog.NewLogs()),
			metrics.ConsumeMetrics(ctx, pmetric.NewMetrics()),
		} {
			require.Error(t, err, name)
			require.True(t, consumererror.IsPermanent(err), name)
			require.Equal(t, codes.PermissionDenied, status.Code(err), name)
			require.Equal(t, err.Error(), status.Convert(err).Message(), name)
			require.Equal(t, fault.Forbidden, fault.KindOf(err), name)
			require.NotContains(t, err.Error(), "env-a")
		}
	}
	require.Zero(t, sink.SpanCount())
}

type stranger struct{}

func (stranger) GetAttribute(string) any     { return "env-a" }
func (stranger) GetAttributeNames() []string { return []string{"environment.id"} }

func TestErrorsOfTheNextPass(t *testing.T) {
	t.Parallel()
	next, err := consumer.NewTraces(func(context.Context, ptrace.Traces) error { return context.DeadlineExceeded })
	require.NoError(t, err)
	p, err := newTraces(t.Context(), processortest.NewNopSettings(Type), createDefaultConfig(), next)
	require.NoError(t, err)
	require.ErrorIs(t, p.ConsumeTraces(asEnvironment(t, "env-b"), forgedTraces()), context.DeadlineExceeded)
}

// A span without an id is refused alone, and its sender gets the reason.
func TestSpansWithoutIDsAreRefusedAlone(t *testing.T) {
	t.Parallel()
	sink := new(consumertest.TracesSink)
	p, err := newTraces(t.Context(), processortest.NewNopSettings(Type), createDefaultConfig(), sink)
	require.NoError(t, err)
	td := forgedTraces()
	first := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	first.At(0).SetName("whole")
	first.AppendEmpty().SetTraceID([16]byte{1})
	first.AppendEmpty().SetSpanID([8]byte{1})
	td.ResourceSpans().At(1).ScopeSpans().At(0).Spans().At(0).SetTraceID([16]byte{})
	ctx, rejected := partial.With(asEnvironment(t, "env-b"))
	require.NoError(t, p.ConsumeTraces(ctx, td))
	require.Equal(t, 1, sink.SpanCount())
	require.Equal(t, "whole", sink.AllTraces()[0].ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Name())
	count, reason := rejected.Result()
	require.EqualValues(t, 3, count)
	require.Equal(t, noID, reason)

	sink.Reset()
	td = ptrace.NewTraces()
	td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	require.NoError(t, p.ConsumeTraces(asEnvironment(t, "env-b"), td), "no one listens")
	require.Empty(t, sink.AllTraces())
	require.Error(t, p.ConsumeTraces(t.Context(), td), "who sends is asked first")
}

// A span that no answer will show is accepted, and its sender gets a warning.
func TestSenderIsWarnedOfSpansPastTheirRetention(t *testing.T) {
	t.Parallel()
	sink := new(consumertest.TracesSink)
	p, err := newTraces(t.Context(), processortest.NewNopSettings(Type), createDefaultConfig(), sink)
	require.NoError(t, err)
	const retention = 48 * time.Hour
	send := func(retention time.Duration, starts ...time.Time) string {
		sink.Reset()
		td := ptrace.NewTraces()
		spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
		for i, start := range starts {
			s := spans.AppendEmpty()
			s.SetTraceID([16]byte{1})
			s.SetSpanID([8]byte{byte(i + 1)})
			s.SetStartTimestamp(pcommon.NewTimestampFromTime(start))
		}
		ctx, rejected := partial.With(as(t, &tenant.Principal{Environment: tenant.Environment{ID: "env-a", Retention: retention}, Scope: tenant.Ingest}))
		require.NoError(t, p.ConsumeTraces(ctx, td))
		require.Equal(t, len(starts), sink.SpanCount(), "all are taken")
		count, told := rejected.Result()
		require.Zero(t, count)
		return told
	}
	now := time.Now()
	require.Equal(t, tooOld(2, retention), send(retention, now, now.Add(-49*time.Hour), now.Add(-47*time.Hour), time.Unix(0, 0)))
	require.Contains(t, tooOld(2, retention), "2 of the spans started longer ago than the 48 hours")
	require.Empty(t, send(retention, now, now.Add(-47*time.Hour), now.Add(time.Hour)))
	require.Empty(t, send(0, time.Unix(0, 0)), "the retention is not known")
}

func TestLifecycle(t *testing.T) {
	t.Parallel()
	f := NewFactory()
	require.Equal(t, Type, f.Type())
	set := processortest.NewNopSettings(Type)
	for _, started := range []bool{false, true} {
		traces, err := f.CreateTraces(t.Context(), set, f.CreateDefaultConfig(), consumertest.NewNop())
		require.NoError(t, err)
		logs, err := f.CreateLogs(t.Context(), set, f.CreateDefaultConfig(), consumertest.NewNop())
		require.NoError(t, err)
		metrics, err := f.CreateMetrics(t.Context(), set, f.CreateDefaultConfig(), consumertest.NewNop())
		require.NoError(t, err)
		if started {
			host := componenttest.NewNopHost()
			require.NoError(t, traces.Start(t.Context(), host))
			require.NoError(t, logs.Start(t.Context(), host))
			require.NoError(t, metrics.Start(t.Context(), host))
		}
		for range 2 {
			require.NoError(t, traces.Shutdown(t.Context()))
			require.NoError(t, logs.Shutdown(t.Context()))
			require.NoError(t, metrics.Shutdown(t.Context()))
		}
	}
}
