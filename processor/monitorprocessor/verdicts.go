// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

// VerdictMetricsConfig says of which setups the verdicts become metrics.
type VerdictMetricsConfig struct {
	// Setups are the setups, by id or external id. Default: none.
	Setups []string `mapstructure:"setups"`
	// MaxSeries is how many series there may be of each metric; verdicts beyond are
	// counted together, with other for evaluator and label. Default: 500.
	MaxSeries int `mapstructure:"max_series"`
}

// otherSeries is the evaluator and the label of verdicts beyond MaxSeries.
const otherSeries = "other"

// verdictMetrics tells verdicts of the setups that are asked for.
type verdictMetrics struct {
	cfg    VerdictMetricsConfig
	counts metric.Int64Counter
	scores metric.Float64Histogram

	mu              sync.Mutex
	counted, scored map[verdictSeries]metric.MeasurementOption
}

// verdictSeries are the labels of one series; second is the label of a verdict or
// the output that a score is of.
type verdictSeries struct{ evaluator, second string }

func newVerdictMetrics(cfg VerdictMetricsConfig, meter metric.Meter) (*verdictMetrics, error) {
	counts, errCounts := meter.Int64Counter("touchstone_verdicts_total", metric.WithUnit("{verdict}"),
		metric.WithDescription("Verdicts of the setups that verdict_metrics names, by what they say."))
	scores, errScores := meter.Float64Histogram("touchstone_verdict_scores",
		metric.WithDescription("Numbers among the verdicts of the setups that verdict_metrics names."),
		metric.WithExplicitBucketBoundaries(0, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1, 2, 3, 4, 5, 10, 100, 1000))
	return &verdictMetrics{
		cfg: cfg, counts: counts, scores: scores,
		counted: map[verdictSeries]metric.MeasurementOption{}, scored: map[verdictSeries]metric.MeasurementOption{},
	}, errors.Join(errCounts, errScores)
}

// tells reports whether verdicts of a setup become metrics.
func (v *verdictMetrics) tells(s *monitor.Setup) bool {
	return len(v.cfg.Setups) > 0 && s != nil && (slices.Contains(v.cfg.Setups, s.ExternalID) || slices.Contains(v.cfg.Setups, s.ID))
}

// note tells an evaluation that is done, with the span that it judged as exemplar.
func (v *verdictMetrics) note(ctx context.Context, s *monitor.Setup, of *eval.Evaluator, e *eval.Evaluation, judged ptrace.Span) {
	if e.Status != eval.Done || !v.tells(s) {
		return
	}
	// The measurement is made in the context of the judged span, which is how a
	// reader gets it as exemplar.
	// https://opentelemetry.io/docs/specs/otel/metrics/sdk/#exemplar
	ctx = trace.ContextWithRemoteSpanContext(context.WithoutCancel(ctx), trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID(judged.TraceID()), SpanID: trace.SpanID(judged.SpanID()), TraceFlags: trace.FlagsSampled, Remote: true,
	}))
	v.counts.Add(ctx, 1, v.series(v.counted, verdictSeries{e.Evaluator, labelOf(of, e)}, "label"))
	for _, o := range e.Outputs {
		number, is := o.Value.(float64)
		if whole, isWhole := o.Value.(int64); isWhole {
			number, is = float64(whole), true
		}
		if is {
			v.scores.Record(ctx, number, v.series(v.scored, verdictSeries{e.Evaluator, o.Name}, "output"))
		}
	}
}

// series returns the labels of a series, or of the others where there are as many
// as may be.
func (v *verdictMetrics) series(known map[verdictSeries]metric.MeasurementOption, s verdictSeries, second string) metric.MeasurementOption {
	v.mu.Lock()
	defer v.mu.Unlock()
	if option, found := known[s]; found {
		return option
	}
	if len(known) >= v.cfg.MaxSeries {
		if s = (verdictSeries{otherSeries, otherSeries}); known[s] != nil {
			return known[s]
		}
	}
	known[s] = metric.WithAttributeSet(attribute.NewSet(attribute.String("evaluator", s.evaluator), attribute.String(second, s.second)))
	return known[s]
}

// labelOf returns what a verdict says in one word: pass or fail where an output
// speaks for the span or against it, else the first text with few possible values,
// else the first boolean, else scored. Free texts, which users wrote, are no labels.
func labelOf(of *eval.Evaluator, e *eval.Evaluation) string {
	if good := e.Good(); good != nil {
		if *good {
			return "pass"
		}
		return "fail"
	}
	label := "scored"
	for _, o := range slices.Backward(e.Outputs) {
		switch value := o.Value.(type) {
		case string:
			at := slices.IndexFunc(of.Output, func(f eval.Field) bool { return f.Name == o.Name })
			if at >= 0 && slices.Contains(of.Output[at].Values, value) {
				return value
			}
		case bool:
			label = strconv.FormatBool(value)
		}
	}
	return label
}
