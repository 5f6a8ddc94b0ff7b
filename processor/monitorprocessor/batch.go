// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/genai/verdicts"
	"github.com/touchstone-otel/touchstone/internal/mask"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// batch is the judging of one batch of spans against monitors.
type batch struct {
	processor *monitorProcessor
	ctx       context.Context //nolint:containedctx // of the one call that the batch lives for
	spent     time.Duration   // by evaluators on this batch
	turn      turn
	// backfill says that the spans are stored already: no client waits for
	// them, and the rest of their traces is there.
	backfill bool

	current     current
	source      monitor.SpanSource // the current span
	evaluations []eval.Evaluation  // of the current span; reused
	computed    []monitor.Kind     // of what computed each of them; zero if nothing did
	trace       traceFacts         // of the current span
	sidecar     fromSidecar        // of the current span
	acting      acting
	tally       tally
	hits        map[*monitor.Monitor]struct{} // that matched a span of the current resource
}

func newBatch(ctx context.Context, p *monitorProcessor) *batch {
	b := &batch{processor: p, ctx: ctx, tally: tally{}, turn: turn{of: p.turns}, hits: map[*monitor.Monitor]struct{}{}}
	b.source = monitor.WithFields(&b.current, b.current.stored)
	b.acting = acting{ctx: ctx, processor: p, budget: mask.Budget{Left: p.cfg.ActBudget}}
	return b
}

// judgeAll judges the spans of a resource. It fails if the client leaves while
// the batch waits for its turn.
func (b *batch) judgeAll(rs ptrace.ResourceSpans, monitors *monitor.Monitors) error {
	matching := monitors.Matching()
	defer matching.Release()
	received := flagged(rs.Resource(), tenant.AttributeSidecar)
	for _, ss := range rs.ScopeSpans().All() {
		b.tally.seen += int64(ss.Spans().Len())
		if !b.backfill && !b.processor.edge { // else they are stored already, or the gateway takes them
			for _, s := range ss.Spans().All() {
				b.opinions(s)
			}
		}
		if len(monitors.List) == 0 && !received {
			continue
		}
		for place, s := range ss.Spans().All() {
			if err := b.turn.pass(b.ctx); err != nil {
				return err
			}
			if received {
				b.receive(s)
			}
			b.current.reset(rs.Resource(), ss.Scope(), s)
			b.judge(s, matching)
			if received {
				b.refuseRest(monitors)
			}
			if err := b.act(rs, ss, place, s); err != nil {
				return err
			}
		}
		b.acting.endScope(ss)
	}
	b.acting.endResource(rs)
	rs.Resource().Attributes().Remove(tenant.AttributeSidecar)
	return nil
}

// opinions adds to a span the verdicts that the span itself carries. Ours come
// next to them.
func (b *batch) opinions(s ptrace.Span) {
	told := verdicts.OfSpan(s)
	b.tally.refused += int64(told.Refused)
	monitor.Carry(s.Attributes(), told.List)
}

// judge runs the monitors that match a span and puts the evaluations on it.
func (b *batch) judge(s ptrace.Span, matching *monitor.Matching) {
	b.evaluations, b.computed = b.evaluations[:0], b.computed[:0]
	b.acting.acts = b.acting.acts[:0]
	carried, matched := 0, int64(0)
	for _, match := range matching.Match(&b.current.view) {
		m := match.Monitor
		if m.Setup.Paused && !b.backfill {
			continue
		}
		if m.Chained {
			if carried < len(b.evaluations) {
				monitor.Carry(s.Attributes(), b.evaluations[carried:])
				carried = len(b.evaluations)
				matching.Judged()
			}
			if !matching.MatchVerdicts(match) {
				continue
			}
		}
		if matched == 0 {
			matched, b.trace = 1, factsOf(s)
		}
		b.noteMatch(m)
		b.evaluateAll(m, s)
	}
	b.tally.matched += matched
	monitor.Carry(s.Attributes(), b.evaluations[carried:])
}

// noteMatch keeps that a monitor matched the current span: for what acts on spans,
// and for the status of its setup. Neither asks for spans that are stored already.
func (b *batch) noteMatch(m *monitor.Monitor) {
	if b.backfill {
		return
	}
	if len(m.Acts) > 0 {
		b.acting.of(m)
	}
	r := b.processor.reconciler
	if r == nil {
		return
	}
	b.hits[m] = struct{}{}
	if m.NeedsMatches() && r.matched(m.Setup) {
		m.MarkMatched()
	}
}

// evaluateAll makes the evaluations of the current span, s, that a monitor asks for,
// as far as one span may have as many.
func (b *batch) evaluateAll(m *monitor.Monitor, s ptrace.Span) {
	for i, r := range m.Bindings {
		if len(b.evaluations) >= monitor.MaxEvaluations {
			if !b.processor.edge {
				b.leaveOut(m, m.Bindings[i:])
			}
			return
		}
		if b.processor.edge {
			if !b.evaluateHere(m, r) {
				continue
			}
		} else if !b.takes(m, r) {
			b.evaluate(m, r)
		}
		b.processor.verdicts.note(b.ctx, m.Setup, r.Evaluator, &b.evaluations[len(b.evaluations)-1], s)
	}
}

// leaveOut counts runs that are beyond what is made of one span. The first of
// them is noted on the span, to tell that there are more.
func (b *batch) leaveOut(m *monitor.Monitor, runs []*monitor.Binding) {
	b.tally.leftOut += int64(len(runs))
	if len(b.evaluations) == monitor.MaxEvaluations {
		b.evaluations = append(b.evaluations, eval.Evaluation{
			SetupID: m.Setup.ID, Evaluator: runs[0].Spec.Slug, Time: time.Now().UnixNano(),
			Status: eval.Skipped, Reason: eval.ReasonLimit,
		})
	}
}

// traceFacts is what every evaluation of a span is asked about its trace.
type traceFacts struct {
	id    span.TraceID
	self  bool
	state string
	at    time.Time // when the judging of the span began
}

func factsOf(s ptrace.Span) traceFacts {
	id := span.TraceID(s.TraceID())
	return traceFacts{id: id, self: id.IsSelf(), state: s.TraceState().AsRaw(), at: time.Now()}
}

// evaluate makes the evaluation of the current span by one run.
func (b *batch) evaluate(m *monitor.Monitor, r *monitor.Binding) {
	if same := b.sameAs(r); same >= 0 && r.Spec.Sampled(b.trace.id) {
		b.repeat(m, r, same)
		return
	}
	made := b.asked(m, r)
	var err error
	var by monitor.Kind
	switch {
	case b.trace.self:
		made.Status, made.Reason = eval.Skipped, eval.ReasonOwnTraffic
	case !r.Spec.Sampled(b.trace.id):
		made.Status, made.Reason = eval.Skipped, eval.ReasonSampledOut
	case errors.Is(r.Err, monitor.ErrLoading):
		b.postpone(&made, r.Plan.Backend, eval.ReasonOverBudget)
	case b.backfill && r.Spec.Decided != "" && fault.Is(r.Err, fault.NotConfigured):
		b.postpone(&made, r.Spec.Decided, eval.ReasonModel) // for a process that has the model
	case r.Err != nil:
		err = r.Err
		made.Status, made.Reason = eval.Failed, reason(err)
	case r.Wants(&b.current):
		b.postpone(&made, r.Plan.Backend, eval.ReasonTrace)
	case r.Plan.Deferred && b.missing(r):
		made.Status, made.Reason = eval.Skipped, eval.ReasonMissingInput
	case r.Plan.Deferred:
		b.postpone(&made, r.Plan.Backend, eval.ReasonModel)
	default:
		by = r.Kind()
		err = b.compute(&made, r)
	}
	b.keep(&made, by, r, err)
}

// keep notes what came of one run, and what computed it, the zero value if nothing did.
func (b *batch) keep(made *eval.Evaluation, by monitor.Kind, r *monitor.Binding, err error) {
	b.evaluations, b.computed = append(b.evaluations, *made), append(b.computed, by)
	b.tally.add(made, label(r), err)
}

// asked returns the evaluation of the current span that one run asks for, before anything
// came of it.
func (b *batch) asked(m *monitor.Monitor, r *monitor.Binding) eval.Evaluation {
	return eval.Evaluation{
		SetupID: m.Setup.ID, Evaluator: r.Spec.Slug, Time: b.trace.at.UnixNano(),
		Generation: m.Setup.Generation, Source: eval.FromTouchstone,
		Probability: r.Spec.Probability(b.trace.state),
	}
}

// sameAs returns the place of what an equal run of another monitor made of the current
// span, -1 if none did.
func (b *batch) sameAs(r *monitor.Binding) int { return slices.Index(b.computed, r.Kind()) }

// repeat makes the evaluation of one run from that of an equal one.
func (b *batch) repeat(m *monitor.Monitor, r *monitor.Binding, same int) {
	made := b.evaluations[same]
	made.SetupID, made.Generation, made.Probability = m.Setup.ID, m.Setup.Generation, r.Spec.Probability(b.trace.state)
	b.keep(&made, b.computed[same], r, nil)
}

// compute lets an evaluator judge in place, while there is time.
func (b *batch) compute(made *eval.Evaluation, r *monitor.Binding) error {
	if b.spent >= b.processor.cfg.Budget && !b.backfill {
		b.postpone(made, r.Plan.Backend, eval.ReasonOverBudget)
		return nil
	}
	start := time.Now()
	made.Time = start.UnixNano()
	a := attempt{start: start}
	a.result, a.err = b.processor.run(b.ctx, r, func(f *eval.Field) (string, bool) { return r.Input(b.source, f) }, r.JudgeInputs)
	a.took = time.Since(start)
	b.spent += a.took
	made.Duration = int64(a.took)
	switch {
	case a.err == nil && r.AsksJudge(&a.result):
		b.postpone(made, eval.Judge, eval.ReasonModel)
		return nil
	case a.err == nil:
		done(made, &a)
		b.processor.metrics.took(b.ctx, &b.tally, label(r), made)
	case errors.Is(a.err, eval.ErrMissingInput):
		end(made, &a, eval.Skipped, eval.ReasonMissingInput)
		return nil
	case b.ctx.Err() != nil: // the client has left: nothing is wrong with the span
		b.postpone(made, r.Plan.Backend, eval.ReasonOverBudget)
		return nil
	case fault.Is(a.err, fault.Unavailable):
		made.Status, made.Reason, made.Due = eval.Deferred, reason(a.err), a.end().Add(b.processor.cfg.Retry.wait(1)).UnixNano()
		made.Backend = r.Plan.Backend
	default:
		end(made, &a, eval.Failed, reason(a.err))
	}
	return a.err
}

// postpone leaves an evaluation to the backlog, with what is to judge: the process that makes it
// may have other models.
func (b *batch) postpone(made *eval.Evaluation, by eval.Backend, reason string) {
	made.Status, made.Reason, made.Due, made.Backend = eval.Deferred, reason, made.Time, by
	if reason == eval.ReasonTrace && !b.backfill {
		made.Due += int64(b.processor.cfg.TraceWait)
	}
}

// missing reports whether the current span lacks an input that is required, so
// that no model need be asked.
func (b *batch) missing(r *monitor.Binding) bool {
	if r.Evaluator == nil {
		return false
	}
	for i := range r.Evaluator.Input {
		f := &r.Evaluator.Input[i]
		if _, ok := r.Input(b.source, f); !ok && f.Required {
			return true
		}
	}
	return false
}

// run keeps a defect of one evaluator from taking the batch down with it.
func (p *monitorProcessor) run(
	ctx context.Context, r *monitor.Binding, get func(f *eval.Field) (string, bool),
	judge func(context.Context, func(f *eval.Field) (string, bool)) (eval.Result, error),
) (result eval.Result, err error) {
	defer func() {
		if recovered := recover(); recovered != nil {
			p.log.Error("evaluator panicked", zap.String("evaluator", r.Spec.Slug), zap.Stack("stack"))
			err = fmt.Errorf("evaluator %s panicked with a %T", r.Spec.Slug, recovered)
		}
	}()
	return judge(ctx, get)
}

// report counts, also for a client that has left.
func (b *batch) report() {
	b.acting.end()
	b.tally.texts = b.acting.tally
	b.processor.metrics.report(context.WithoutCancel(b.ctx), &b.tally)
}
