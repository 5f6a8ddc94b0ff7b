// SPDX-License-Identifier: Apache-2.0

package tenantprocessor

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// fromSidecar are spans as the processors of a sidecar hand them on, and one that
// claims more.
func fromSidecar() ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr(tenant.AttributeEnvironmentID, "env-a")
	spans := rs.ScopeSpans().AppendEmpty().Spans()
	for i := range 2 {
		s := spans.AppendEmpty()
		s.SetTraceID([16]byte{1})
		s.SetSpanID([8]byte{byte(i + 1)})
		s.Attributes().PutStr("evaluation.char-count.char_count", "17")
		s.Attributes().PutEmptyBytes(tenant.AttributeEvaluations).FromRaw([]byte{2, 7})
	}
	forging := spans.At(1)
	forging.Attributes().PutEmptyBytes(tenant.AttributeSidecar).FromRaw([]byte{9})
	forging.Attributes().PutInt(tenant.AttributeContent, 5)
	forging.Events().AppendEmpty().Attributes().PutEmptyBytes(tenant.AttributeEvaluations).FromRaw([]byte{2})
	for _, mark := range []string{tenant.AttributeDeferred, tenant.AttributeBackfill, tenant.AttributeSidecar} {
		rs.Resource().Attributes().PutBool(mark, true)
	}
	rs.Resource().Attributes().PutEmptyBytes(tenant.AttributeSetups).FromRaw([]byte("{}"))
	rs.Resource().Attributes().PutEmptyBytes(tenant.AttributeEvaluations).FromRaw([]byte{2})
	return td
}

// Of a sidecar's the evaluations of spans stay, under a name of their own, and nothing
// else; of all others nothing does.
func TestOfSidecarsOnlyTheEvaluationsStay(t *testing.T) {
	t.Parallel()
	for scope, forged := range map[tenant.Scope]int64{tenant.Sidecar: 3 + 5, tenant.Ingest: 2*2 + 3 + 1 + 5, tenant.Full: 2*2 + 3 + 1 + 5} {
		tel := componenttest.NewTelemetry()
		sink := new(consumertest.TracesSink)
		set := processor.Settings{ID: component.NewID(Type), TelemetrySettings: tel.NewTelemetrySettings()}
		p, err := newTraces(t.Context(), set, &Config{MaxValueBytes: 64}, sink)
		require.NoError(t, err)
		caller := &tenant.Principal{Environment: tenant.Environment{ID: "env-b"}, Scope: scope}
		require.NoError(t, p.ConsumeTraces(as(t, caller), fromSidecar()))
		rs := sink.AllTraces()[0].ResourceSpans().At(0)
		resource, kept := map[string]any{tenant.AttributeEnvironmentID: "env-b"}, map[string]any{}
		if scope == tenant.Sidecar {
			resource[tenant.AttributeSidecar], kept[tenant.AttributeSidecar] = true, []byte{2, 7}
		}
		require.Equal(t, resource, rs.Resource().Attributes().AsRaw())
		for _, s := range rs.ScopeSpans().At(0).Spans().All() {
			require.Equal(t, kept, s.Attributes().AsRaw(), scope)
			for _, event := range s.Events().All() {
				require.Zero(t, event.Attributes().Len())
			}
		}
		counted, err := tel.GetMetric("touchstone_tenant_forged_attributes")
		require.NoError(t, err)
		require.Equal(t, forged, counted.Data.(metricdata.Sum[int64]).DataPoints[0].Value, scope)
		require.NoError(t, tel.Shutdown(t.Context()))
	}
}

// A carrier is not cut, which would damage it.
func TestEvaluationsOfASidecarAreNotCut(t *testing.T) {
	t.Parallel()
	s := ptrace.NewSpan()
	s.Attributes().PutEmptyBytes(tenant.AttributeEvaluations).FromRaw(make([]byte, 1000))
	s.Attributes().PutStr("long", string(make([]byte, 1000)))
	require.Zero(t, (&cutter{most: 64}).sidecarSpan(s))
	v, _ := s.Attributes().Get(tenant.AttributeSidecar)
	require.Equal(t, 1000, v.Bytes().Len())
	long, _ := s.Attributes().Get("long")
	require.Equal(t, pcommon.ValueTypeStr, long.Type())
	require.Less(t, len(long.Str()), 100)
}

// Log records of a sidecar have its stamp, which is no forgery.
func TestStampsOfSidecarsOnLogsAreNoForgery(t *testing.T) {
	t.Parallel()
	for scope, forged := range map[tenant.Scope]int64{tenant.Sidecar: 1, tenant.Ingest: 2} {
		tel := componenttest.NewTelemetry()
		sink := new(consumertest.LogsSink)
		set := processor.Settings{ID: component.NewID(Type), TelemetrySettings: tel.NewTelemetrySettings()}
		p, err := newLogs(t.Context(), set, createDefaultConfig(), sink)
		require.NoError(t, err)
		ld := plog.NewLogs()
		rl := ld.ResourceLogs().AppendEmpty()
		rl.Resource().Attributes().PutStr(tenant.AttributeEnvironmentID, "env-a")
		rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Attributes().PutStr("evaluation.x.y", "z")
		caller := &tenant.Principal{Environment: tenant.Environment{ID: "env-b"}, Scope: scope}
		require.NoError(t, p.ConsumeLogs(as(t, caller), ld))
		got := sink.AllLogs()[0].ResourceLogs().At(0)
		require.Equal(t, map[string]any{tenant.AttributeEnvironmentID: "env-b"}, got.Resource().Attributes().AsRaw())
		require.Zero(t, got.ScopeLogs().At(0).LogRecords().At(0).Attributes().Len())
		counted, err := tel.GetMetric("touchstone_tenant_forged_attributes")
		require.NoError(t, err)
		require.Equal(t, forged, counted.Data.(metricdata.Sum[int64]).DataPoints[0].Value, scope)
		require.NoError(t, tel.Shutdown(t.Context()))
	}
}
