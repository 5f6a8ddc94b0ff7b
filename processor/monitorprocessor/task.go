// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"sync"
	"time"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// task is one evaluation that is to be made.
type task struct {
	evaluation *eval.Evaluation
	run        *monitor.Binding
	generation int64 // of the setup that the run is of
	setup      *monitor.Setup
	owner      tenant.EnvironmentID // whose the span is
	inputs     []input              // of each of the evaluator's
	attempt    attempt
	// same is an equal task of the same span, which is done once for both.
	same *task
}

type input struct {
	text string
	ok   bool
}

// work does the tasks side by side, until the context ends.
func (d *deferred) work(ctx context.Context) {
	next := make(chan *task)
	var workers sync.WaitGroup
	for range min(d.processor.cfg.Concurrency, len(d.tasks)) {
		workers.Go(func() {
			for t := range next {
				d.do(tenant.WithEnvironment(ctx, t.owner), t)
			}
		})
	}
	for _, t := range d.tasks {
		if ctx.Err() != nil {
			break
		}
		next <- t
	}
	close(next)
	workers.Wait()
}

func (d *deferred) do(ctx context.Context, t *task) {
	fields := t.run.Evaluator.Input
	t.attempt.start = time.Now()
	get := func(f *eval.Field) (string, bool) {
		for i := range fields {
			if fields[i].Name == f.Name {
				return t.inputs[i].text, t.inputs[i].ok
			}
		}
		return "", false
	}
	t.attempt.result, t.attempt.err = d.processor.run(ctx, t.run, get, t.run.JudgeInputs)
	switch {
	case t.attempt.err != nil || !t.attempt.result.Uncertain:
	case t.run.AsksJudge(&t.attempt.result):
		t.attempt.result, t.attempt.err = d.processor.run(ctx, t.run, get, t.run.AskJudge)
	case t.evaluation.Backend == eval.Judge:
		t.attempt.err = t.run.LacksJudge(&t.attempt.result)
		t.attempt.unable = t.attempt.err != nil
	}
	t.attempt.took = time.Since(t.attempt.start)
}

// finish puts what came of the tasks on the spans.
func (d *deferred) finish() {
	for _, o := range d.spans {
		for _, t := range o.tasks {
			d.record(t)
			if t.run != nil {
				d.processor.verdicts.note(d.batch.ctx, t.setup, t.run.Evaluator, t.evaluation, o.current.span)
			}
		}
		monitor.Recarry(o.current.span.Attributes(), o.evaluations)
	}
}

func (d *deferred) record(t *task) {
	e := t.evaluation
	if t.run == nil {
		end(e, &attempt{start: time.Now()}, eval.Skipped, eval.ReasonDeleted)
		d.batch.tally.add(e, d.processor.resolver.labelOf(e.Evaluator), nil)
		return
	}
	a := t.attempt
	switch {
	case t.run.Err != nil:
		a = attempt{err: t.run.Err, start: time.Now(), unable: true}
	case t.same != nil:
		a = t.same.attempt
		a.result.Usage, a.result.Cached = eval.Usage{}, a.result.Model != "" // it was asked for once
	}
	decided := e.Backend
	d.processor.cfg.Retry.record(e, &a)
	if a.unable && e.Status == eval.Deferred {
		d.processor.lacking.note(d.batch.ctx, label(t.run), decided, a.err)
	}
	if e.Status.Ended() {
		e.Generation = t.generation
	}
	if e.Status.Ended() && t.same == nil {
		d.processor.metrics.took(d.batch.ctx, &d.batch.tally, label(t.run), e)
	}
	d.batch.tally.add(e, label(t.run), a.err)
}
