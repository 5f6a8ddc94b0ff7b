// SPDX-License-Identifier: Apache-2.0

package evaluationconnector

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const scopeName = "github.com/touchstone-otel/touchstone/connector/evaluationconnector"

// recorder makes records of the evaluations that spans carry. It keeps
// nothing: when the next component refuses the records, the sender of the
// spans gets the error and sends them again.
type recorder struct {
	component.StartFunc
	component.ShutdownFunc

	cfg     *Config
	labels  map[string]bool // <slug>.<output>
	version string
	next    consumer.Logs
	now     func() time.Time
}

func newRecorder(cfg *Config, version string, next consumer.Logs, now func() time.Time) *recorder {
	r := &recorder{cfg: cfg, labels: make(map[string]bool, len(cfg.Labels)), version: version, next: next, now: now}
	for _, label := range cfg.Labels {
		r.labels[label] = true
	}
	return r
}

// Capabilities says that spans pass as they are.
func (r *recorder) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: false}
}

// ConsumeTraces sends the records of a batch on, if there are any.
func (r *recorder) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	ld := plog.NewLogs()
	observed := pcommon.NewTimestampFromTime(r.now())
	for _, rs := range td.ResourceSpans().All() {
		w := &writer{recorder: r, logs: ld, from: rs, observed: observed}
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				w.span(s)
			}
		}
	}
	if ld.ResourceLogs().Len() == 0 {
		return nil
	}
	return r.next.ConsumeLogs(ctx, ld)
}
