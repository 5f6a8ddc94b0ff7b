// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// tally counts what became of the evaluations of one batch.
type tally struct {
	done, missingInput, overBudget, failed int64
}

func (t *tally) add(status eval.Status, reason string) {
	switch {
	case status == eval.Done:
		t.done++
	case reason == eval.ReasonMissingInput:
		t.missingInput++
	case reason == eval.ReasonOverBudget:
		t.overBudget++
	default:
		t.failed++
	}
}

type metrics struct {
	evaluations                            metric.Int64Counter
	done, missingInput, overBudget, failed metric.MeasurementOption
}

func newMetrics(provider metric.MeterProvider) (*metrics, error) {
	counter, err := provider.Meter("github.com/touchstone-otel/touchstone/processor/monitorprocessor").Int64Counter(
		"touchstone_evaluations",
		metric.WithDescription("Evaluations of matched spans, by what became of them."),
		metric.WithUnit("{evaluation}"))
	if err != nil {
		return nil, err
	}
	labels := func(status eval.Status, reason string) metric.MeasurementOption {
		return metric.WithAttributeSet(attribute.NewSet(
			attribute.String("status", string(status)), attribute.String("reason", reason)))
	}
	return &metrics{
		evaluations:  counter,
		done:         labels(eval.Done, ""),
		missingInput: labels(eval.Skipped, eval.ReasonMissingInput),
		overBudget:   labels(eval.Skipped, eval.ReasonOverBudget),
		failed:       labels(eval.Failed, ""),
	}, nil
}

func (m *metrics) report(ctx context.Context, t *tally) {
	for _, c := range []struct {
		n      int64
		labels metric.MeasurementOption
	}{{t.done, m.done}, {t.missingInput, m.missingInput}, {t.overBudget, m.overBudget}, {t.failed, m.failed}} {
		if c.n > 0 {
			m.evaluations.Add(ctx, c.n, c.labels)
		}
	}
}
