// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

// evaluateHere makes the evaluation of the current span by one run at a sidecar, if that
// can be done in place and in time. Everything else is left to the gateway, and nothing
// is said of it: it finds out by itself what is missing.
func (b *batch) evaluateHere(m *monitor.Monitor, r *monitor.Binding) bool {
	if r.Err != nil || !r.InPlace() || !b.inPlace(r) {
		return false
	}
	if same := b.sameAs(r); same >= 0 {
		b.repeat(m, r, same)
		return true
	}
	made := b.asked(m, r)
	err := b.compute(&made, r)
	if made.Status == eval.Deferred {
		return false
	}
	b.keep(&made, r.Kind(), r, err)
	return true
}

// inPlace reports whether a run that judges in place is to judge the current span, by
// what the span has.
func (b *batch) inPlace(r *monitor.Binding) bool {
	return !b.trace.self && r.Spec.Sampled(b.trace.id) && !r.Wants(&b.current)
}
