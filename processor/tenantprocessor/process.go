// SPDX-License-Identifier: Apache-2.0

package tenantprocessor

import (
	"context"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

func (c *cutter) processTraces(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	caller, err := callerOf(ctx)
	if err != nil {
		return td, err
	}
	forged, sidecar := 0, caller.Scope == tenant.Sidecar
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			forged += c.clean(ss.Scope().Attributes())
			for _, s := range ss.Spans().All() {
				keepSchema(s.Attributes(), scopeSchema, ss.SchemaUrl())
				if sidecar {
					forged += c.sidecarSpan(s)
				} else {
					forged += c.span(s)
				}
			}
		}
		resource := rs.Resource().Attributes()
		keepSchema(resource, resourceSchema, rs.SchemaUrl())
		c.attributes(resource)
		if sidecar {
			forged -= sidecarStamps(resource)
		}
		forged += stamp(resource, &caller.Environment)
		if sidecar {
			resource.PutBool(tenant.AttributeSidecar, true)
		}
	}
	c.forged(ctx, forged)
	return td, nil
}

// span cleans a span, and returns how many attributes it took off.
func (c *cutter) span(s ptrace.Span) int {
	forged := c.clean(s.Attributes())
	if message := s.Status().Message(); len(message) > c.most {
		s.Status().SetMessage(c.text(message))
	}
	for _, event := range s.Events().All() {
		forged += c.clean(event.Attributes())
	}
	for _, link := range s.Links().All() {
		forged += c.clean(link.Attributes())
	}
	return forged
}

func (c *cutter) processLogs(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	caller, err := callerOf(ctx)
	if err != nil {
		return ld, err
	}
	forged := 0
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			forged += c.clean(sl.Scope().Attributes())
			for _, record := range sl.LogRecords().All() {
				forged += c.clean(record.Attributes())
				c.value(record.Body())
			}
		}
		resource := rl.Resource().Attributes()
		c.attributes(resource)
		if caller.Scope == tenant.Sidecar {
			forged -= sidecarStamps(resource)
		}
		forged += stamp(resource, &caller.Environment)
	}
	c.forged(ctx, forged)
	return ld, nil
}

func processMetrics(ctx context.Context, md pmetric.Metrics) (pmetric.Metrics, error) {
	caller, err := callerOf(ctx)
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
		stamp(rm.Resource().Attributes(), &caller.Environment)
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

// clean takes off what a client may not write, and shortens what is too long,
// in one look where there is nothing to take off. It returns how many it took off.
func (c *cutter) clean(attributes pcommon.Map) int {
	for key, v := range attributes.All() {
		if tenant.Reserved(key) {
			n := strip(attributes)
			c.attributes(attributes)
			return n
		}
		c.value(v)
	}
	return 0
}

// stamp takes off every reserved attribute, however often it is there, before
// it writes ours, and returns how many there were.
func stamp(resource pcommon.Map, env *tenant.Environment) int {
	n := strip(resource)
	resource.PutStr(tenant.AttributeEnvironmentID, string(env.ID))
	genai.StampMappings(resource, env.Mappings)
	return n
}

// strip looks before it cuts: almost no client sends a reserved attribute, and
// looking is several times cheaper. It returns how many it cut.
func strip(attributes pcommon.Map) int {
	for key := range attributes.All() {
		if tenant.Reserved(key) {
			n := attributes.Len()
			attributes.RemoveIf(func(key string, _ pcommon.Value) bool { return tenant.Reserved(key) })
			return n - attributes.Len()
		}
	}
	return 0
}
