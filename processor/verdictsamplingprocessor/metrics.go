// SPDX-License-Identifier: Apache-2.0

package verdictsamplingprocessor

import (
	"context"
	"errors"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// early says why a trace was decided before it was due.
type early string

const (
	earlyMemory   early = "memory"   // of max_mib
	earlyTraces   early = "traces"   // of max_traces
	earlyShutdown early = "shutdown" // of the process
)

// meter counts.
type meter struct {
	meter                                 metric.Meter
	processor                             attribute.KeyValue
	traces, spans, hurried, lates, faults metric.Int64Counter
	refused, lost                         metric.Int64Counter
	heldBytes, heldTraces                 metric.Int64ObservableGauge
	watching                              metric.Registration
	policies                              map[*share][2]metric.MeasurementOption // dropped, kept
	decisions                             [2]metric.MeasurementOption
	reasons                               map[early]metric.MeasurementOption
	wrong                                 map[stateFault]metric.MeasurementOption
	alone                                 metric.MeasurementOption
}

var decisionNames = [...]string{"dropped", "kept"}

// place returns the place of a decision in decisionNames.
func place(kept bool) int {
	if kept {
		return 1
	}
	return 0
}

func newMeter(provider metric.MeterProvider, id component.ID, shares []share) (*meter, error) {
	m := &meter{
		meter:     provider.Meter("github.com/touchstone-otel/touchstone/processor/verdictsamplingprocessor"),
		processor: attribute.String("processor", id.String()),
		policies:  map[*share][2]metric.MeasurementOption{}, reasons: map[early]metric.MeasurementOption{}, wrong: map[stateFault]metric.MeasurementOption{},
	}
	var errs []error
	counter := func(into *metric.Int64Counter, name, unit, about string) {
		var err error
		*into, err = m.meter.Int64Counter("touchstone_verdict_sampling_"+name, metric.WithUnit(unit), metric.WithDescription(about))
		errs = append(errs, err)
	}
	gauge := func(into *metric.Int64ObservableGauge, name, unit, about string) {
		var err error
		*into, err = m.meter.Int64ObservableGauge("touchstone_verdict_sampling_"+name, metric.WithUnit(unit), metric.WithDescription(about))
		errs = append(errs, err)
	}
	counter(&m.traces, "traces", "{trace}", "Traces that were decided, by the policy that gave the share and what the decision was.")
	counter(&m.spans, "spans", "{span}", "Spans that were decided, by the policy that gave the share of their trace and what the decision was.")
	counter(&m.hurried, "early", "{trace}", "Traces that were decided before decision_wait was over, by the reason.")
	counter(&m.lates, "late", "{span}", "Spans that came after their trace was decided, by what became of them.")
	counter(&m.faults, "tracestates_invalid", "{span}", "Spans whose trace state was not taken as it is, by what is wrong with it.")
	counter(&m.refused, "refused", "{span}", "Spans that were refused because there was no room; senders try again.")
	counter(&m.lost, "lost", "{span}", "Spans that were kept and acknowledged, and that what follows refused for good, or when the process ended.")
	gauge(&m.heldBytes, "held_bytes", "By", "How large the requests are that wait or are being handed on.")
	gauge(&m.heldTraces, "held_traces", "{trace}", "Traces that are not decided.")
	// Every series is there before anything happens.
	ctx := context.Background()
	for i := range shares {
		var options [2]metric.MeasurementOption
		for j, decision := range decisionNames {
			options[j] = m.labels(attribute.String("policy", shares[i].policy), attribute.String("decision", decision))
			m.traces.Add(ctx, 0, options[j])
			m.spans.Add(ctx, 0, options[j])
		}
		m.policies[&shares[i]] = options
	}
	for j, decision := range decisionNames {
		m.decisions[j] = m.labels(attribute.String("decision", decision))
		m.lates.Add(ctx, 0, m.decisions[j])
	}
	for _, why := range []early{earlyMemory, earlyTraces, earlyShutdown} {
		m.reasons[why] = m.labels(attribute.String("reason", string(why)))
		m.hurried.Add(ctx, 0, m.reasons[why])
	}
	for _, why := range []stateFault{faultMalformed, faultInconsistent} {
		m.wrong[why] = m.labels(attribute.String("reason", string(why)))
		m.faults.Add(ctx, 0, m.wrong[why])
	}
	m.alone = m.labels()
	m.refused.Add(ctx, 0, m.alone)
	m.lost.Add(ctx, 0, m.alone)
	return m, errors.Join(errs...)
}

// labels returns labels with that of the processor.
func (m *meter) labels(more ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(append(more, m.processor)...))
}

// watch tells how much is held, whenever metrics are read.
func (m *meter) watch(held func() (bytes, traces int)) (err error) {
	m.watching, err = m.meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		bytes, traces := held()
		o.ObserveInt64(m.heldBytes, int64(bytes), m.alone)
		o.ObserveInt64(m.heldTraces, int64(traces), m.alone)
		return nil
	}, m.heldBytes, m.heldTraces)
	return err
}

func (m *meter) unwatch() error {
	if m.watching == nil {
		return nil
	}
	return m.watching.Unregister()
}

func (m *meter) trace(by *share, kept bool) {
	m.traces.Add(context.Background(), 1, m.policies[by][place(kept)])
}

func (m *meter) early(why early) { m.hurried.Add(context.Background(), 1, m.reasons[why]) }

func (m *meter) late(kept bool) { m.lates.Add(context.Background(), 1, m.decisions[place(kept)]) }

func (m *meter) refuse(spans int) { m.refused.Add(context.Background(), int64(spans), m.alone) }

func (m *meter) lose(spans int) { m.lost.Add(context.Background(), int64(spans), m.alone) }

// tally counts the spans of one request.
type tally struct {
	m      *meter
	spans  map[*share]*[2]int64
	faults map[stateFault]int64
}

func (m *meter) tally() *tally {
	return &tally{m, map[*share]*[2]int64{}, map[stateFault]int64{}}
}

// count counts a span and returns whether it is kept.
func (t *tally) count(by *share, kept bool, fault stateFault) bool {
	n := t.spans[by]
	if n == nil {
		n = new([2]int64)
		t.spans[by] = n
	}
	n[place(kept)]++
	if fault != faultNone {
		t.faults[fault]++
	}
	return kept
}

// tell adds what was counted to the metrics.
func (t *tally) tell() {
	ctx := context.Background()
	for by, n := range t.spans {
		for i := range n {
			t.m.spans.Add(ctx, n[i], t.m.policies[by][i])
		}
	}
	for fault, n := range t.faults {
		t.m.faults.Add(ctx, n, t.m.wrong[fault])
	}
}
