// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"fmt"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// judgeOwed judges spans that come from the backlog: those of backfills as if
// they passed now, and of the others what they carry. An error leaves all of it
// pending; it is permanent if the same spans would fail again.
func (p *monitorProcessor) judgeOwed(ctx context.Context, resources []ptrace.ResourceSpans, b *batch) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.stopping, cancel)()
	b.ctx = ctx
	d := deferred{processor: p, batch: b, traces: map[traceKey][]*genai.View{}}
	known := map[string]*carriedMonitors{}
	for _, rs := range resources {
		carrying := len(d.spans)
		backfill := flagged(rs.Resource(), tenant.AttributeBackfill)
		if !backfill && !d.add(rs) {
			continue // siblings
		}
		carried, err := p.carriedBy(rs.Resource(), known)
		if err != nil {
			return consumererror.NewPermanent(err)
		}
		if backfill {
			b.backfill = true
			if err := b.judgeAll(rs, carried.monitors); err != nil {
				return err
			}
			continue
		}
		for _, o := range d.spans[carrying:] {
			o.carried = carried
		}
	}
	d.plan()
	d.work(ctx)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("judging was cut short: %w", err)
	}
	d.finish()
	return nil
}

// deferred is the judging of what a batch of spans carries.
type deferred struct {
	processor *monitorProcessor
	batch     *batch
	spans     []*owing
	traces    map[traceKey][]*genai.View
	tasks     []*task
}

type traceKey struct {
	env   string
	trace span.TraceID
}

// owing is a span with the evaluations that it carries.
type owing struct {
	current     current
	trace       traceKey
	evaluations []eval.Evaluation
	carried     *carriedMonitors
	tasks       []*task
}

// add notes the spans of a resource, and reports whether one carries anything.
func (d *deferred) add(rs ptrace.ResourceSpans) (carry bool) {
	env, _ := rs.Resource().Attributes().Get(tenant.AttributeEnvironmentID)
	for _, ss := range rs.ScopeSpans().All() {
		for _, s := range ss.Spans().All() {
			o := &owing{trace: traceKey{env.AsString(), span.TraceID(s.TraceID())}}
			o.current.reset(rs.Resource(), ss.Scope(), s)
			d.traces[o.trace] = append(d.traces[o.trace], &o.current.view)
			if o.evaluations = monitor.Carried(s.Attributes()); len(o.evaluations) > 0 {
				d.spans = append(d.spans, o)
				carry = true
			}
		}
	}
	return carry
}

// plan makes the tasks. Views are for one goroutine, so the inputs of all
// evaluations are taken here, before they are made side by side.
func (d *deferred) plan() {
	for _, o := range d.spans {
		source := monitor.WithFields(genai.NewTraceView(&o.current.view, d.traces[o.trace]), o.current.stored)
		for i := range o.evaluations {
			e := &o.evaluations[i]
			if e.Status != eval.Deferred {
				continue
			}
			t := &task{evaluation: e, owner: tenant.EnvironmentID(o.trace.env)}
			if t.run, t.generation = o.carried.run(e); t.run != nil {
				t.run = t.run.By(e.Backend)
			}
			if m := o.carried.byID[e.SetupID]; m != nil {
				t.setup = m.Setup
			}
			o.tasks = append(o.tasks, t)
			if t.run == nil || t.run.Err != nil {
				continue
			}
			if t.same = o.equal(t); t.same == nil {
				t.inputs = make([]input, len(t.run.Evaluator.Input))
				for j := range t.inputs {
					t.inputs[j].text, t.inputs[j].ok = t.run.Input(source, &t.run.Evaluator.Input[j])
				}
				d.tasks = append(d.tasks, t)
			}
		}
	}
}

func (o *owing) equal(t *task) *task {
	for _, other := range o.tasks {
		if other != t && other.inputs != nil && other.run.Same(t.run) {
			return other
		}
	}
	return nil
}
