// SPDX-License-Identifier: Apache-2.0

package tenantprocessor

import (
	"context"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func processTraces(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	env, err := environmentOf(ctx)
	if err != nil {
		return td, err
	}
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			strip(ss.Scope().Attributes())
			for _, s := range ss.Spans().All() {
				stripSpan(s)
			}
		}
		stamp(rs.Resource().Attributes(), env)
	}
	return td, nil
}

func stripSpan(s ptrace.Span) {
	strip(s.Attributes())
	for _, event := range s.Events().All() {
		strip(event.Attributes())
	}
	for _, link := range s.Links().All() {
		strip(link.Attributes())
	}
}

func processLogs(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	env, err := environmentOf(ctx)
	if err != nil {
		return ld, err
	}
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			strip(sl.Scope().Attributes())
			for _, record := range sl.LogRecords().All() {
				strip(record.Attributes())
			}
		}
		stamp(rl.Resource().Attributes(), env)
	}
	return ld, nil
}

func processMetrics(ctx context.Context, md pmetric.Metrics) (pmetric.Metrics, error) {
	env, err := environmentOf(ctx)
	if err != nil {
		return md, err
	}
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			strip(sm.Scope().Attributes())
			for _, m := range sm.Metrics().All() {
				strip(m.Metadata())
				stripPoints(m)
			}
		}
		stamp(rm.Resource().Attributes(), env)
	}
	return md, nil
}

func stripPoints(m pmetric.Metric) {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		stripNumbers(m.Gauge().DataPoints())
	case pmetric.MetricTypeSum:
		stripNumbers(m.Sum().DataPoints())
	case pmetric.MetricTypeHistogram:
		for _, p := range m.Histogram().DataPoints().All() {
			strip(p.Attributes())
			stripExemplars(p.Exemplars())
		}
	case pmetric.MetricTypeExponentialHistogram:
		for _, p := range m.ExponentialHistogram().DataPoints().All() {
			strip(p.Attributes())
			stripExemplars(p.Exemplars())
		}
	case pmetric.MetricTypeSummary:
		for _, p := range m.Summary().DataPoints().All() {
			strip(p.Attributes())
		}
	}
}

func stripNumbers(points pmetric.NumberDataPointSlice) {
	for _, p := range points.All() {
		strip(p.Attributes())
		stripExemplars(p.Exemplars())
	}
}

func stripExemplars(exemplars pmetric.ExemplarSlice) {
	for _, e := range exemplars.All() {
		strip(e.FilteredAttributes())
	}
}

// stamp takes off every reserved attribute, however often it is there, before
// it writes ours.
func stamp(resource pcommon.Map, env tenant.EnvironmentID) {
	strip(resource)
	resource.PutStr(tenant.AttributeEnvironmentID, string(env))
}

// strip looks before it cuts: almost no client sends a reserved attribute, and
// looking is several times cheaper.
func strip(attributes pcommon.Map) {
	for key := range attributes.All() {
		if tenant.Reserved(key) {
			attributes.RemoveIf(func(key string, _ pcommon.Value) bool { return tenant.Reserved(key) })
			return
		}
	}
}
