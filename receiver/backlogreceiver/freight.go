// SPDX-License-Identifier: Apache-2.0

package backlogreceiver

import (
	"context"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/genai"
	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// maxFreight is how many bytes go through the pipeline at once, about: one span
// may be larger, but no other is put to it then. It stays well below what OTLP
// receivers take.
const maxFreight = 16 << 20

// freight is what goes through the pipeline at once.
type freight struct {
	traces ptrace.Traces
	lots   []lot
	size   int
}

// consignment are the lots of one trace, which go together with the rest of the
// trace where an evaluator wants to see it.
type consignment struct {
	environment tenant.Environment
	trace       span.TraceID
	freight
	spans map[span.ID]bool // that are in it
	wants bool             // the rest of the trace
}

// load reads the spans of the lots and makes freights of them. A span that is
// not there any more is in none of them.
func (r *backlogReceiver) load(ctx context.Context, lots []lot) ([]freight, error) {
	loading := &loading{backlogReceiver: r, customs: customs{live: r.live}, monitors: map[*monitor.Setup]*monitor.Monitor{}}
	byEnvironment := map[tenant.EnvironmentID][]lot{}
	var order []tenant.EnvironmentID
	for _, l := range lots {
		if _, there := byEnvironment[l.Environment]; !there {
			order = append(order, l.Environment)
		}
		byEnvironment[l.Environment] = append(byEnvironment[l.Environment], l)
	}
	for _, env := range order {
		if err := loading.environment(ctx, byEnvironment[env]); err != nil {
			return nil, err
		}
	}
	return pack(loading.consignments), nil
}

type loading struct {
	*backlogReceiver
	customs      customs
	monitors     map[*monitor.Setup]*monitor.Monitor
	consignments []*consignment
}

// environment loads the lots of one environment.
func (l *loading) environment(ctx context.Context, lots []lot) error {
	env := lots[0].environment
	keys := make([]span.Key, len(lots))
	for i := range lots {
		keys[i] = lots[i].Span
	}
	stored, err := l.spans.Get(ctx, env, keys, 0)
	if err != nil {
		return err
	}
	found := make(map[spanID]*span.Span, len(stored))
	for i := range stored {
		found[idOf(stored[i].Key())] = &stored[i]
	}
	traces := map[span.TraceID]*consignment{}
	for i := range lots {
		s := found[idOf(lots[i].Span)]
		if s == nil {
			continue
		}
		c := traces[s.TraceID]
		if c == nil {
			c = &consignment{environment: env, trace: s.TraceID, spans: map[span.ID]bool{}}
			c.traces = ptrace.NewTraces()
			traces[s.TraceID] = c
			l.consignments = append(l.consignments, c)
		}
		wants, err := l.put(ctx, c, &lots[i], s)
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
	if len(wanting) == 0 || l.cfg.Siblings == 0 {
		return nil
	}
	return l.siblings(ctx, env, wanting, traces)
}

// spanID is what identifies a span of an environment, whenever it started.
type spanID struct {
	trace span.TraceID
	span  span.ID
}

func idOf(k span.Key) spanID { return spanID{trace: k.TraceID, span: k.SpanID} }

// put puts a span with its owed evaluations into a consignment, and reports
// whether one of their evaluators wants to see the rest of the trace.
func (l *loading) put(ctx context.Context, c *consignment, x *lot, s *span.Span) (wants bool, err error) {
	defined, err := l.customs.of(ctx, x.Environment, x.setups)
	if err != nil {
		return false, err
	}
	rs := c.traces.ResourceSpans().AppendEmpty()
	out := genai.ToOTLP(s, rs)
	stamp(rs.Resource().Attributes(), x.environment.ID)
	setups := make([]monitor.Setup, len(x.setups))
	for i := range x.setups {
		setups[i] = *x.setups[i]
	}
	monitor.CarrySetups(rs.Resource().Attributes(), setups, defined)
	monitor.Recarry(out.Attributes(), x.Evaluations)
	c.lots = append(c.lots, *x)
	c.size += sizeOf(rs)
	c.spans[s.SpanID] = true
	return l.wants(genai.NewView(rs.Resource(), out), x, defined), nil
}

// stamp says of a resource whose it is, and that its spans are stored.
func stamp(resource pcommon.Map, env tenant.EnvironmentID) {
	resource.PutStr(tenant.AttributeEnvironmentID, string(env))
	resource.PutBool(tenant.AttributeDeferred, true)
}

func sizeOf(rs ptrace.ResourceSpans) int {
	return (&ptrace.ProtoMarshaler{}).ResourceSpansSize(rs)
}

// wants reports whether an evaluator that is to judge the span takes an input
// that the rest of the trace may have and the span has not.
func (l *loading) wants(v *genai.View, x *lot, defined []eval.CustomEvaluator) bool {
	for i := range x.Evaluations {
		e := &x.Evaluations[i]
		for _, s := range x.setups {
			if s.ID != e.SetupID {
				continue
			}
			for _, run := range l.monitor(s, defined).Runs {
				if run.Wish.Slug == e.Evaluator && run.Wants(v) {
					return true
				}
			}
		}
	}
	return false
}

// monitor compiles a setup as far as it takes to know what is read. No model is
// asked: who judges has its own.
func (l *loading) monitor(s *monitor.Setup, defined []eval.CustomEvaluator) *monitor.Monitor {
	m := l.monitors[s]
	if m == nil {
		registry := eval.NewRegistry(l.catalog, nil, nil).Among(defined)
		m = monitor.Compile(s, func(w *monitor.SetupEvaluator) (*eval.Evaluator, error) {
			return registry.Bound(context.Background(), s.EnvironmentID, w.Slug, w.CustomID)
		})
		l.monitors[s] = m
	}
	return m
}

// siblings puts the rest of the traces to their consignments, as much as goes
// in, the earliest spans first.
func (l *loading) siblings(ctx context.Context, env tenant.Environment, keys []span.Key, traces map[span.TraceID]*consignment) error {
	stored, err := l.spans.Get(ctx, env, keys, l.cfg.Siblings)
	if err != nil {
		return err
	}
	for i := range stored {
		s := &stored[i]
		c := traces[s.TraceID]
		if c == nil || c.spans[s.SpanID] || c.size > maxFreight {
			continue
		}
		one := ptrace.NewTraces()
		rs := one.ResourceSpans().AppendEmpty()
		genai.ToOTLP(s, rs)
		stamp(rs.Resource().Attributes(), env.ID)
		monitor.CarrySetups(rs.Resource().Attributes(), nil, nil) // nothing is judged on it
		size := sizeOf(rs)
		if c.size+size > maxFreight {
			continue
		}
		c.size += size
		c.spans[s.SpanID] = true
		one.ResourceSpans().MoveAndAppendTo(c.traces.ResourceSpans())
	}
	return nil
}

// pack puts consignments together as long as they go into one freight.
func pack(list []*consignment) []freight {
	var freights []freight
	for _, c := range list {
		last := len(freights) - 1
		if last < 0 || freights[last].size+c.size > maxFreight {
			freights = append(freights, c.freight)
			continue
		}
		f := &freights[last]
		f.size += c.size
		f.lots = append(f.lots, c.lots...)
		c.traces.ResourceSpans().MoveAndAppendTo(f.traces.ResourceSpans())
	}
	return freights
}
