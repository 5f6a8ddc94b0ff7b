// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// batch is the judging of one batch of spans.
type batch struct {
	*monitorProcessor
	ctx   context.Context
	spent time.Duration // by evaluators on this batch

	view        span.View         // of the current span; reused
	evaluations []eval.Evaluation // of the current span; reused
	tally       tally
}

// judge runs the monitors that match a span and puts the evaluations on it.
func (b *batch) judge(r pcommon.Resource, s ptrace.Span, monitors []*monitor.Monitor) {
	b.view.Reset(r, s)
	b.evaluations = b.evaluations[:0]
	carried := 0
	for _, m := range monitors {
		if m.Chained && carried < len(b.evaluations) {
			monitor.Carry(s.Attributes(), b.evaluations[carried:])
			carried = len(b.evaluations)
		}
		if !m.Setup.Selector.Matches(&b.view) {
			continue
		}
		if m.FirstMatch() {
			b.keeper.matched(m.Setup)
		}
		for _, e := range m.Evaluators {
			b.evaluations = append(b.evaluations, b.evaluate(m, e))
		}
	}
	monitor.Carry(s.Attributes(), b.evaluations[carried:])
}

// evaluate runs one evaluator, or takes the verdict over from another monitor
// that ran it on this span already.
func (b *batch) evaluate(m *monitor.Monitor, e *eval.Evaluator) eval.Evaluation {
	for i := range b.evaluations {
		if b.evaluations[i].Evaluator == e.Slug {
			same := b.evaluations[i]
			same.SetupID = m.Setup.ID
			b.tally.add(same.Status, same.Reason)
			return same
		}
	}
	start := time.Now()
	made := eval.Evaluation{SetupID: m.Setup.ID, Evaluator: e.Slug, Time: start.UnixNano()}
	if b.spent >= b.cfg.Budget {
		made.Status, made.Reason = eval.Skipped, eval.ReasonOverBudget
		b.tally.add(made.Status, made.Reason)
		return made
	}
	result, err := b.run(e)
	took := time.Since(start)
	b.spent += took
	made.Duration = int64(took)
	made.Time += made.Duration
	switch {
	case err == nil:
		made.Status, made.Outputs, made.Backend, made.Truncated = eval.Done, result.Outputs, result.Backend, result.Truncated
	case errors.Is(err, eval.ErrMissingInput):
		made.Status, made.Reason = eval.Skipped, eval.ReasonMissingInput
	default:
		made.Status, made.Reason = eval.Failed, fault.Message(err)
	}
	b.tally.add(made.Status, made.Reason)
	return made
}

// run keeps a defect of one evaluator from taking the batch down with it.
func (b *batch) run(e *eval.Evaluator) (result eval.Result, err error) {
	defer func() {
		if r := recover(); r != nil {
			b.log.Error("evaluator panicked", zap.String("evaluator", e.Slug), zap.Stack("stack"))
			err = fault.New(fault.Internal, "evaluator %s panicked: %s", e.Slug, fmt.Sprintf("%T", r))
		}
	}()
	return e.FromSpan(b.ctx, &b.view, nil)
}

func (b *batch) report() { b.metrics.report(b.ctx, &b.tally) }
