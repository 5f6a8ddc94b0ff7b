// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

func monitorFault(message string) error { return fault.New(fault.Invalid, "%s", message) }

// counts returns the counted evaluations by status, reason, evaluator and backend.
func counts(t *testing.T, tel *componenttest.Telemetry) map[string]int64 {
	t.Helper()
	counted, err := tel.GetMetric("touchstone_evaluations")
	require.NoError(t, err)
	total := map[string]int64{}
	for _, point := range counted.Data.(metricdata.Sum[int64]).DataPoints {
		labels := make([]string, 0, 4)
		for _, name := range []string{"status", "reason", "evaluator", "backend"} {
			value, ok := point.Attributes.Value(attribute.Key(name))
			require.True(t, ok, name)
			labels = append(labels, value.AsString())
		}
		require.Equal(t, 4, point.Attributes.Len())
		total[strings.Join(labels, "/")] += point.Value
	}
	return total
}

func sum(t *testing.T, tel *componenttest.Telemetry, name string) (total int64) {
	t.Helper()
	counted, err := tel.GetMetric(name)
	require.NoError(t, err)
	for _, point := range counted.Data.(metricdata.Sum[int64]).DataPoints {
		total += point.Value
	}
	return total
}

func TestSpansAndDurationsAreCounted(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	createSetup(t, live, "one", []string{"char-count", "perplexity"}, exists("gen_ai.system"))
	createSetup(t, live, "two", []string{"char-count"}, exists("gen_ai.system"))
	p, tel := startProcessor(t, live, evaluators.Catalog(), defaults())
	some := stamped(5)
	spanAt(some, 0).Attributes().Remove("gen_ai.system")
	_, err := p.processTraces(t.Context(), some)
	require.NoError(t, err)
	require.EqualValues(t, 5, sum(t, tel, "touchstone_monitor_spans_seen"))
	require.EqualValues(t, 4, sum(t, tel, "touchstone_monitor_spans_matched"))
	require.Equal(t, map[string]int64{"done//char-count/deterministic": 8, "skipped/missing_input/perplexity/": 4}, counts(t, tel))

	durations, err := tel.GetMetric("touchstone_evaluation_duration_seconds")
	require.NoError(t, err)
	points := durations.Data.(metricdata.Histogram[float64]).DataPoints
	require.Len(t, points, 1)
	require.EqualValues(t, 4, points[0].Count, "one for each that was computed")
	evaluator, _ := points[0].Attributes.Value("evaluator")
	backend, _ := points[0].Attributes.Value("backend")
	require.Equal(t, "char-count deterministic", evaluator.AsString()+" "+backend.AsString())
	require.Equal(t, 2, points[0].Attributes.Len())
}

// A message is no label: there are as many as there are spans.
func TestMessagesAreNoLabels(t *testing.T) {
	t.Parallel()
	for _, kind := range []fault.Kind{fault.Invalid, fault.TooLarge, fault.NotConfigured, fault.Unavailable, fault.Unusable, fault.Internal} {
		require.Equal(t, string(kind), reasonLabel(&eval.Evaluation{Reason: "the text at 7"}, fault.New(kind, "x")))
	}
	require.Equal(t, "internal", reasonLabel(&eval.Evaluation{Reason: "x"}, errors.New("x")))
	require.Equal(t, "cost", reasonLabel(&eval.Evaluation{Reason: eval.ReasonCost}, nil))
	f := newResolver(evaluators.Catalog(), nil, nil)
	require.Equal(t, "char-count", f.labelOf("char-count"))
	require.Equal(t, "custom", f.labelOf("my-secret-project"))
	known, _ := evaluators.Catalog().Get("char-count")
	require.Equal(t, "char-count", label(&monitor.Binding{Spec: &monitor.SetupEvaluator{}, Evaluator: known}))
	require.Equal(t, "custom", label(&monitor.Binding{Spec: &monitor.SetupEvaluator{CustomID: "id"}, Evaluator: known}), "a user's, whose slug a release took")
	require.Equal(t, "custom", label(&monitor.Binding{Spec: &monitor.SetupEvaluator{Slug: "gone-by"}}))
}
