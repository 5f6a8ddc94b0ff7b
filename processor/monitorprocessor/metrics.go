// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/mask"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

// tally counts the spans of one batch, and what became of their evaluations.
type tally struct {
	seen, matched int64
	leftOut       int64 // evaluations beyond those of one span
	refused       int64 // opinions that spans brought along
	taken         int64 // evaluations of sidecars
	notTaken      map[monitor.Refused]int64
	evaluations   []counted // few kinds, so a list is faster than a map
	records       map[record]int64
	texts         mask.Tally
	durations     []timed
}

// timed are the labels of a kind of durations, looked up.
type timed struct {
	evaluator string
	backend   eval.Backend
	labels    []metric.RecordOption
}

type counted struct {
	outcome
	n int64
}

// outcome are the labels of an evaluation. Every combination that occurs is a
// time series, so texts of users' are not among them.
type outcome struct {
	status            eval.Status
	reason, evaluator string
	backend           eval.Backend
}

// add counts an evaluation that ended, or was deferred, with err.
func (t *tally) add(e *eval.Evaluation, evaluator string, err error) {
	o := outcome{status: e.Status, reason: reasonLabel(e, err), evaluator: evaluator}
	if e.Status.Ended() {
		o.backend = e.Backend
	}
	for i := range t.evaluations {
		if t.evaluations[i].outcome == o {
			t.evaluations[i].n++
			return
		}
	}
	t.evaluations = append(t.evaluations, counted{o, 1})
}

// refuse counts an evaluation of a sidecar that is not taken.
func (t *tally) refuse(why monitor.Refused) {
	if t.notTaken == nil {
		t.notTaken = map[monitor.Refused]int64{}
	}
	t.notTaken[why]++
}

// signal is what records are of.
type signal string

const (
	signalTraces signal = "traces"
	signalLogs   signal = "logs"
)

// record are the labels of records with which something was done on a verdict, or would
// have been if there were one.
type record struct {
	signal         signal
	action, reason string
}

// How the metrics call what became of a record, by its fate, and why.
var (
	recordActions = [...]string{stays: "keep", losesTexts: "replace", losesContent: "drop_content", goes: "drop_record"}
	recordReasons = [...]string{"verdict", "failure"}
)

// acted counts a record that setups wanted something done with. It is not counted when
// nothing was found.
func (t *tally) acted(of signal, what fate, failed bool) {
	if what == stays && !failed {
		return
	}
	if t.records == nil {
		t.records = map[record]int64{}
	}
	reason := recordReasons[0]
	if failed {
		reason = recordReasons[1]
	}
	t.records[record{of, recordActions[what], reason}]++
}

type metrics struct {
	records, texts             metric.Int64Counter
	evaluations, seen, matched metric.Int64Counter
	refused                    metric.Int64Counter
	taken, notTaken            metric.Int64Counter // evaluations of sidecars
	duration                   metric.Float64Histogram
	dead                       metric.Int64ObservableGauge
	stuck                      metric.Int64ObservableGauge
	meter                      metric.Meter
	turns                      metric.Registration
	watching                   metric.Registration // nil while no model is asked for dead

	labels sync.Map // outcome -> metric.MeasurementOption
}

func newMetrics(provider metric.MeterProvider) (*metrics, error) {
	meter := provider.Meter("github.com/touchstone-otel/touchstone/processor/monitorprocessor")
	m := &metrics{meter: meter}
	var errs []error
	counter := func(into *metric.Int64Counter, name, unit, about string) {
		c, err := meter.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(about))
		*into, errs = c, append(errs, err)
	}
	counter(&m.evaluations, "touchstone_evaluations", "{evaluation}", "Evaluations of matched spans, by what became of them.")
	counter(&m.seen, "touchstone_monitor_spans_seen", "{span}", "Spans that were held against the monitors of their environment.")
	counter(&m.refused, "touchstone_opinions_refused", "{opinion}", "Verdicts that others sent and that could not be taken: without a name, a value or a span, with a value that is not finite or a name that is too long, or beyond 100 of one span.")
	counter(&m.matched, "touchstone_monitor_spans_matched", "{span}", "Spans that one monitor or more matched.")
	counter(&m.taken, "touchstone_sidecar_evaluations_taken", "{evaluation}", "Evaluations that sidecars made and that count.")
	counter(&m.notTaken, "touchstone_sidecar_evaluations_refused", "{evaluation}", "Evaluations that sidecars sent and that do not count, by the reason: they are made here if a setup asks for them. A carrier of a span that cannot be read counts as one.")
	counter(&m.records, "touchstone_on_verdict_records", "{record}", "Spans and log records with which something was done as a setup's on_verdict asks, or of which it could not be said whether to.")
	counter(&m.texts, "touchstone_on_verdict_texts", "{text}", "Texts of spans and log records that on_verdict changed.")
	var err error
	m.duration, err = meter.Float64Histogram("touchstone_evaluation_duration_seconds",
		metric.WithUnit("s"), metric.WithDescription("How long evaluations took that came to a verdict."),
		metric.WithExplicitBucketBoundaries(.00001, .0001, .001, .01, .1, .5, 1, 2.5, 5, 10, 30, 60, 120))
	errs = append(errs, err)
	m.dead, err = meter.Int64ObservableGauge("touchstone_monitor_setups_dead", metric.WithUnit("{setup}"),
		metric.WithDescription("Setups that match none of a thousand spans or more of their environment that came to this process since they matched or changed last."))
	errs = append(errs, err)
	m.stuck, err = meter.Int64ObservableGauge("touchstone_monitor_turns_stuck", metric.WithUnit("{turn}"),
		metric.WithDescription("Spans whose evaluators have been at work for more than 30 seconds: each keeps a processor from others."))
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	m.taken.Add(context.Background(), 0) // so that the series are there before anything happens
	for _, why := range monitor.AllRefused {
		m.notTaken.Add(context.Background(), 0, refusedLabel(why))
	}
	for _, of := range []signal{signalTraces, signalLogs} {
		for _, action := range recordActions {
			for _, reason := range recordReasons {
				if action != recordActions[stays] || reason != recordReasons[0] {
					m.records.Add(context.Background(), 0, record{of, action, reason}.labels())
				}
			}
		}
	}
	m.rewritten(context.Background(), mask.Tally{})
	return m, nil
}

func (r record) labels() metric.MeasurementOption {
	return metric.WithAttributes(attribute.String("signal", string(r.signal)), attribute.String("action", r.action), attribute.String("reason", r.reason))
}

// rewritten counts texts.
func (m *metrics) rewritten(ctx context.Context, t mask.Tally) {
	add := func(effect string, n int64) {
		m.texts.Add(ctx, n, metric.WithAttributes(attribute.String("effect", effect)))
	}
	add("masked", t.Masked)
	add("hashed", t.Hashed)
	add("not_searched", t.NotSearched)
}

func refusedLabel(why monitor.Refused) metric.MeasurementOption {
	return metric.WithAttributes(attribute.String("reason", string(why)))
}

// watch has dead be asked for the number of dead setups.
func (m *metrics) watch(dead func() int64) (err error) {
	m.watching, err = m.meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		o.ObserveInt64(m.dead, dead())
		return nil
	}, m.dead)
	return err
}

// watchTurns has stuck be asked for the number of turns that last too long.
func (m *metrics) watchTurns(stuck func() int) (err error) {
	m.turns, err = m.meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		o.ObserveInt64(m.stuck, int64(stuck()))
		return nil
	}, m.stuck)
	return err
}

// unwatch ends both.
func (m *metrics) unwatch() error {
	err := m.turns.Unregister()
	if m.watching != nil {
		err = errors.Join(err, m.watching.Unregister())
	}
	return err
}

// took notes how long a finished evaluation took.
func (m *metrics) took(ctx context.Context, t *tally, evaluator string, e *eval.Evaluation) {
	m.duration.Record(ctx, time.Duration(e.Duration).Seconds(), t.label(m, evaluator, e.Backend)...)
}

// label returns the labels of durations, which have no status.
func (t *tally) label(m *metrics, evaluator string, backend eval.Backend) []metric.RecordOption {
	for i := range t.durations {
		if d := &t.durations[i]; d.evaluator == evaluator && d.backend == backend {
			return d.labels
		}
	}
	labels := []metric.RecordOption{m.option(outcome{evaluator: evaluator, backend: backend})}
	t.durations = append(t.durations, timed{evaluator, backend, labels})
	return labels
}

func (m *metrics) report(ctx context.Context, t *tally) {
	if t.seen > 0 {
		m.seen.Add(ctx, t.seen)
	}
	if t.matched > 0 {
		m.matched.Add(ctx, t.matched)
	}
	if t.refused > 0 {
		m.refused.Add(ctx, t.refused)
	}
	if t.taken > 0 {
		m.taken.Add(ctx, t.taken)
	}
	for why, n := range t.notTaken {
		m.notTaken.Add(ctx, n, refusedLabel(why))
	}
	for r, n := range t.records {
		m.records.Add(ctx, n, r.labels())
	}
	if t.texts != (mask.Tally{}) {
		m.rewritten(ctx, t.texts)
	}
	if t.leftOut > 0 {
		m.evaluations.Add(ctx, t.leftOut, m.option(outcome{status: eval.Skipped, reason: eval.ReasonLimit}))
	}
	for i := range t.evaluations {
		c := &t.evaluations[i]
		m.evaluations.Add(ctx, c.n, m.option(c.outcome))
	}
}

// option returns the labels of an outcome; a duration has no status.
func (m *metrics) option(o outcome) metric.MeasurementOption {
	if known, ok := m.labels.Load(o); ok {
		return known.(metric.MeasurementOption)
	}
	labels := []attribute.KeyValue{
		attribute.String("evaluator", o.evaluator), attribute.String("backend", string(o.backend)),
	}
	if o.status != "" {
		labels = append(labels, attribute.String("status", string(o.status)), attribute.String("reason", o.reason))
	}
	option := metric.WithAttributeSet(attribute.NewSet(labels...))
	m.labels.Store(o, option)
	return option
}
