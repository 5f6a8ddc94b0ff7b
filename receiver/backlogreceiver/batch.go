// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"context"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/eval/registry"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// maxBatchBytes is about how many bytes go through the pipeline at once: one span
// may be larger, but then goes alone. It stays well below what OTLP
// receivers take.
const maxBatchBytes = 16 << 20

// batch is what goes through the pipeline at once: items, and their spans as OTLP.
type batch struct {
	traces ptrace.Traces
	items  []item
	size   int
}

// traceGroup holds the items of one trace, which go together with the rest of the
// trace where an evaluator wants to see it.
type traceGroup struct {
	environment tenant.Environment
	trace       span.TraceID
	batch       batch
	spans       map[span.Identity]bool // that are in traces
	wants       bool                   // the rest of the trace
}

// byEnvironment returns the items of each environment, in the order of the first of each.
func byEnvironment(items []item) (list [][]item) {
	places := map[tenant.EnvironmentID]int{}
	for _, x := range items {
		at, there := places[x.Environment]
		if !there {
			at = len(list)
			places[x.Environment] = at
			list = append(list, nil)
		}
		list[at] = append(list[at], x)
	}
	return list
}

// load reads the spans of the items, which are of one environment, and returns them in
// batches. A span that is not there any more is in none of them.
func (r *backlogReceiver) load(ctx context.Context, items []item) ([]batch, error) {
	builder := &batchBuilder{receiver: r, customEvaluators: customEvaluators{live: r.live}, monitors: map[*monitor.Setup]*monitor.Monitor{}}
	if err := builder.environment(ctx, items); err != nil {
		return nil, err
	}
	return joinGroups(builder.groups), nil
}

// batchBuilder makes the batches of what was leased of one environment.
type batchBuilder struct {
	receiver         *backlogReceiver
	customEvaluators customEvaluators
	monitors         map[*monitor.Setup]*monitor.Monitor
	groups           []*traceGroup
}

// environment loads the items of one environment.
func (b *batchBuilder) environment(ctx context.Context, items []item) error {
	env := items[0].environment
	keys := make([]span.Key, len(items))
	for i := range items {
		keys[i] = items[i].Span
	}
	stored, err := b.receiver.spans.Get(ctx, env, keys, 0)
	if err != nil {
		return err
	}
	found := make(map[span.Identity]*span.Span, len(stored))
	for i := range stored {
		found[stored[i].Key().Identity()] = &stored[i]
	}
	traces := map[span.TraceID]*traceGroup{}
	for i := range items {
		s := found[items[i].Span.Identity()]
		if s == nil {
			continue
		}
		c := traces[s.TraceID]
		if c == nil {
			c = &traceGroup{environment: env, trace: s.TraceID, spans: map[span.Identity]bool{}}
			c.batch.traces = ptrace.NewTraces()
			traces[s.TraceID] = c
			b.groups = append(b.groups, c)
		}
		wants, err := b.put(ctx, c, &items[i], s)
		if err != nil {
			return err
		}
		c.wants = c.wants || wants
	}
	var wanting []span.Key // all of a trace, since they are not its siblings
	for _, s := range found {
		if traces[s.TraceID].wants {
			wanting = append(wanting, s.Key())
		}
	}
	if len(wanting) == 0 || b.receiver.cfg.Siblings == 0 {
		return nil
	}
	return b.siblings(ctx, env, wanting, traces)
}

// put adds a span with its pending evaluations to a group, and reports
// whether one of their evaluators wants to see the rest of the trace.
func (b *batchBuilder) put(ctx context.Context, c *traceGroup, x *item, s *span.Span) (wants bool, err error) {
	defined, err := b.customEvaluators.of(ctx, x.Environment, x.setups)
	if err != nil {
		return false, err
	}
	rs := c.batch.traces.ResourceSpans().AppendEmpty()
	out := genai.ToOTLP(s, rs)
	stamp(rs.Resource().Attributes(), &x.environment)
	setups := make([]monitor.Setup, len(x.setups))
	for i := range x.setups {
		setups[i] = *x.setups[i]
	}
	monitor.CarrySetups(rs.Resource().Attributes(), setups, defined)
	monitor.Recarry(out.Attributes(), x.Evaluations)
	monitor.CarryContent(out.Attributes(), x.Content)
	c.batch.items = append(c.batch.items, *x)
	c.batch.size += sizeOf(rs)
	c.spans[s.Key().Identity()] = true
	return b.wants(genai.NewView(rs.Resource(), out), x, defined), nil
}

// stamp marks a resource with its environment and as one whose spans are stored.
func stamp(resource pcommon.Map, env *tenant.Environment) {
	resource.PutStr(tenant.AttributeEnvironmentID, string(env.ID))
	genai.StampMappings(resource, env.Mappings)
	resource.PutBool(tenant.AttributeDeferred, true)
}

func sizeOf(rs ptrace.ResourceSpans) int {
	return (&ptrace.ProtoMarshaler{}).ResourceSpansSize(rs)
}

// wants reports whether an evaluator that is to judge the span takes an input
// that the rest of the trace may have and the span has not.
func (b *batchBuilder) wants(v *genai.View, x *item, defined []eval.CustomEvaluator) bool {
	for i := range x.Evaluations {
		e := &x.Evaluations[i]
		for _, s := range x.setups {
			if s.ID != e.SetupID {
				continue
			}
			for _, run := range b.monitor(s, defined).Bindings {
				if run.Spec.Slug == e.Evaluator && run.Wants(v) {
					return true
				}
			}
		}
	}
	return false
}

// monitor compiles a setup as far as it takes to know what is read. No model is
// asked here.
func (b *batchBuilder) monitor(s *monitor.Setup, defined []eval.CustomEvaluator) *monitor.Monitor {
	m := b.monitors[s]
	if m == nil {
		known := registry.New(b.receiver.catalog, nil, nil).Among(defined)
		m = monitor.Compile(s, func(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
			return known.Bound(context.Background(), s.EnvironmentID, w.Slug, w.CustomID)
		})
		b.monitors[s] = m
	}
	return m
}

// siblings adds the rest of the traces to their groups, the earliest spans
// first, up to maxBatchBytes a group.
func (b *batchBuilder) siblings(ctx context.Context, env tenant.Environment, keys []span.Key, traces map[span.TraceID]*traceGroup) error {
	stored, err := b.receiver.spans.Get(ctx, env, keys, b.receiver.cfg.Siblings)
	if err != nil {
		return err
	}
	for i := range stored {
		s := &stored[i]
		c := traces[s.TraceID]
		if c == nil || c.spans[s.Key().Identity()] || c.batch.size > maxBatchBytes {
			continue
		}
		one := ptrace.NewTraces()
		rs := one.ResourceSpans().AppendEmpty()
		genai.ToOTLP(s, rs)
		stamp(rs.Resource().Attributes(), &env)
		monitor.CarrySetups(rs.Resource().Attributes(), nil, nil) // nothing is judged on it
		size := sizeOf(rs)
		if c.batch.size+size > maxBatchBytes {
			continue
		}
		c.batch.size += size
		c.spans[s.Key().Identity()] = true
		one.ResourceSpans().MoveAndAppendTo(c.batch.traces.ResourceSpans())
	}
	return nil
}

// joinGroups returns the groups as batches: several in one, as long as that stays
// within maxBatchBytes.
func joinGroups(list []*traceGroup) []batch {
	var batches []batch
	for _, c := range list {
		last := len(batches) - 1
		if last < 0 || batches[last].size+c.batch.size > maxBatchBytes {
			batches = append(batches, c.batch)
			continue
		}
		f := &batches[last]
		f.size += c.batch.size
		f.items = append(f.items, c.batch.items...)
		c.batch.traces.ResourceSpans().MoveAndAppendTo(f.traces.ResourceSpans())
	}
	return batches
}
