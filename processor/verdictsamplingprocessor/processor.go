// SPDX-License-Identifier: Apache-2.0

package verdictsamplingprocessor

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"

	"github.com/touchstone-otel/touchstone/internal/monitor"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// sampler is the processor.
type sampler struct {
	cfg      *Config
	policies *policies
	table    *table
	meter    *meter
	outbox   *outbox // nil in answer decided
	next     consumer.Traces

	stop     chan struct{}
	stopping sync.Once
	running  sync.WaitGroup // the goroutine that decides what is due
	senders  sync.WaitGroup // a caller that waits for an answer
}

func newSampler(cfg *Config, set processor.Settings, next consumer.Traces) (*sampler, error) {
	p, err := newPolicies(cfg)
	if err != nil {
		return nil, err
	}
	m, err := newMeter(set.MeterProvider, set.ID, p.shares)
	if err != nil {
		return nil, err
	}
	s := &sampler{cfg: cfg, policies: p, meter: m, table: newTable(cfg, m), next: next, stop: make(chan struct{})}
	if cfg.Answer == answerHeld {
		s.outbox = newOutbox(s, set.Logger)
		s.table.hold = s.outbox.put
	}
	return s, nil
}

// Capabilities says that spans are marked and left out.
func (s *sampler) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: true}
}

// Start begins to decide what is due.
func (s *sampler) Start(context.Context, component.Host) error {
	if err := s.meter.watch(s.table.held); err != nil {
		return err
	}
	if s.outbox != nil {
		s.outbox.start()
	}
	s.running.Go(func() {
		ticks := time.NewTicker(min(max(s.cfg.DecisionWait/20, 5*time.Millisecond), time.Second))
		defer ticks.Stop()
		for {
			select {
			case <-s.stop:
				return
			case now := <-ticks.C:
				s.table.decideDue(now)
			}
		}
	})
	return nil
}

// Shutdown decides everything that waits, with what is known, and hands it on.
func (s *sampler) Shutdown(context.Context) (err error) {
	s.stopping.Do(func() {
		close(s.stop)
		s.running.Wait()
		s.table.close()
		s.senders.Wait()
		if s.outbox != nil {
			s.outbox.end()
		}
		err = s.meter.unwatch()
	})
	return err
}

// ConsumeTraces takes spans until their traces are decided. In answer decided it returns
// when those that are kept were handed on, with what came of that.
func (s *sampler) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	s.senders.Add(1)
	defer s.senders.Done()
	r := &request{td: td, bytes: sizer.TracesSize(td) + requestBytes + td.SpanCount()*spanBytes}
	if s.outbox != nil {
		r.ctx = context.WithoutCancel(ctx)
	}
	if err := s.table.add(r, s.look(td), time.Now()); err != nil {
		s.meter.refuse(td.SpanCount())
		return err
	}
	if s.outbox != nil {
		return nil
	}
	select {
	case <-r.ready:
	case <-ctx.Done():
		s.table.abandon(r)
		return ctx.Err()
	}
	defer s.table.release(r)
	s.choose(r)
	return s.handOn(ctx, r)
}

var sizer ptrace.ProtoMarshaler

// What a request and a span count for besides what they are in OTLP, so that many small
// ones do not take more memory than there is room for.
const (
	requestBytes = 2 << 10
	spanBytes    = 384
)

// look returns what each span says about its trace. Spans that are stored already and
// pass for their pending evaluations say nothing.
func (s *sampler) look(td ptrace.Traces) []seen {
	spans := make([]seen, 0, td.SpanCount())
	for _, rs := range td.ResourceSpans().All() {
		environment := ""
		if stamp, found := rs.Resource().Attributes().Get(s.cfg.EnvironmentAttribute); found {
			environment = stamp.AsString()
		}
		_, again := rs.Resource().Attributes().Get(tenant.AttributeDeferred)
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				told := seen{key: traceKey{environment, span.TraceID()}}
				if !again {
					told.share, told.randomness = s.policies.of(span.Attributes()), randomnessOf(span)
				}
				spans = append(spans, told)
			}
		}
	}
	return spans
}

// choose leaves of a request the spans that are kept, marked with how likely that was.
func (s *sampler) choose(r *request) {
	shares := s.table.decided(r)
	tally := s.meter.tally()
	r.td.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool {
			ss.Spans().RemoveIf(func(span ptrace.Span) bool {
				by := shares[0]
				shares = shares[1:]
				if by == nil {
					return false
				}
				kept, fault := keep(span, by)
				return !tally.count(by, kept, fault)
			})
			return ss.Spans().Len() == 0
		})
		return rs.ScopeSpans().Len() == 0
	})
	tally.tell()
}

// keep reports whether a span is kept with a share, marks it if it is, and returns what is
// wrong with its trace state.
func keep(span ptrace.Span, by *share) (kept bool, fault stateFault) {
	st := stateOf(span)
	if !by.threshold.ShouldSample(st.randomness) {
		return false, st.fault
	}
	if factor := st.mark(span, by.threshold); factor < 1 {
		lower(span, factor)
	}
	return true, st.fault
}

// lower multiplies the inclusion probabilities of the evaluations of a span.
func lower(span ptrace.Span, factor float64) {
	evaluations := monitor.Carried(span.Attributes())
	if len(evaluations) == 0 {
		return
	}
	for i := range evaluations {
		evaluations[i].Probability *= factor
	}
	monitor.Recarry(span.Attributes(), evaluations)
}

// handOn hands on what is left of a request, if there is anything.
func (s *sampler) handOn(ctx context.Context, r *request) error {
	if r.td.ResourceSpans().Len() == 0 {
		return nil
	}
	return s.next.ConsumeTraces(ctx, r.td)
}
