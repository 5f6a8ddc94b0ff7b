// SPDX-License-Identifier: Apache-2.0

package evaluationconnector

import (
	"context"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// forwarder hands spans to a pipeline to another backend, with their
// verdicts and without what is only ours to know. A span goes out once: when it
// passes again for its pending evaluations, it stays.
type forwarder struct {
	component.StartFunc
	component.ShutdownFunc

	cfg  *Config
	next consumer.Traces
}

// Capabilities says that spans lose attributes; other exporters of the pipeline
// get spans of their own.
func (f *forwarder) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: true}
}

// ConsumeTraces sends what is left of a batch on, if there is anything.
func (f *forwarder) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	td.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		_, again := rs.Resource().Attributes().Get(tenant.AttributeDeferred)
		return again
	})
	if td.ResourceSpans().Len() == 0 {
		return nil
	}
	for _, rs := range td.ResourceSpans().All() {
		f.cfg.tell(rs.Resource().Attributes())
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				bare(s.Attributes())
			}
		}
	}
	return f.next.ConsumeTraces(ctx, td)
}

// bare takes off reserved attributes but the verdicts.
func bare(attributes pcommon.Map) {
	attributes.RemoveIf(func(key string, _ pcommon.Value) bool {
		return tenant.Reserved(key) && !strings.HasPrefix(key, tenant.EvaluationPrefix)
	})
}

// tell leaves of a resource's attributes what others may know.
func (c *Config) tell(resource pcommon.Map) {
	told, environment := c.EnvironmentAttribute, ""
	if stamp, ok := resource.Get(tenant.AttributeEnvironmentID); ok {
		environment = stamp.AsString()
	}
	resource.RemoveIf(func(key string, _ pcommon.Value) bool {
		return tenant.Reserved(key) || told != "" && key == told
	})
	if told != "" && environment != "" {
		resource.PutStr(told, environment)
	}
}
