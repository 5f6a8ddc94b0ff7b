// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

// fromSidecar is what a sidecar made of the current span.
type fromSidecar struct {
	list  []eval.Evaluation // those that were not looked at yet
	start time.Time         // of the span
}

// receive takes what a sidecar made of a span off it. Its verdicts are shown when they
// are taken, like those that are made here.
func (b *batch) receive(s ptrace.Span) {
	list, refused := monitor.FromSidecar(s.Attributes())
	if refused != "" {
		b.tally.refuse(refused)
	}
	b.sidecar = fromSidecar{list, s.StartTimestamp().AsTime()}
}

// takes takes the evaluation of the current span by one run from the sidecar, if it made
// one that can be taken. What setup, generation and probability are is not the
// sidecar's to say.
func (b *batch) takes(m *monitor.Monitor, r *monitor.Binding) bool {
	at := slices.IndexFunc(b.sidecar.list, func(e eval.Evaluation) bool { return e.SetupID == m.Setup.ID && e.Evaluator == r.Spec.Slug })
	if at < 0 {
		return false
	}
	sent := b.sidecar.list[at]
	b.sidecar.list = slices.Delete(b.sidecar.list, at, at+1)
	refused := r.Accepts(&sent, m.Setup.Generation, b.sidecar.start, time.Now())
	if refused == "" && !b.inPlace(r) {
		refused = monitor.RefusedUnmatched
	}
	if refused != "" {
		b.tally.refuse(refused)
		return false
	}
	made := b.asked(m, r)
	made.Source = eval.FromSidecar
	made.Status, made.Reason, made.Outputs, made.Backend = sent.Status, sent.Reason, sent.Outputs, sent.Backend
	made.Grounds = sent.Grounds
	made.Truncated, made.Duration, made.Time = sent.Truncated, sent.Duration, sent.Time
	var by monitor.Kind
	if made.Status.Ended() {
		by = r.Kind()
	}
	b.keep(&made, by, r, nil)
	b.tally.taken++
	return true
}

// refuseRest counts what a sidecar made of the current span and was not asked for.
func (b *batch) refuseRest(monitors *monitor.Monitors) {
	for i := range b.sidecar.list {
		b.tally.refuse(unasked(&b.sidecar.list[i], monitors))
	}
	b.sidecar = fromSidecar{}
}

// unasked says why an evaluation belongs to no run that matched.
func unasked(e *eval.Evaluation, monitors *monitor.Monitors) monitor.Refused {
	at := slices.IndexFunc(monitors.List, func(m *monitor.Monitor) bool { return m.Setup.ID == e.SetupID })
	switch {
	case at < 0:
		return monitor.RefusedSetup
	case monitors.List[at].Setup.Generation != e.Generation:
		return monitor.RefusedGeneration
	case monitors.List[at].Binding(e.Evaluator) == nil:
		return monitor.RefusedEvaluator
	}
	return monitor.RefusedUnmatched
}
