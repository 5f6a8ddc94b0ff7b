// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
)

// verdictCounts returns the counted verdicts by evaluator and label.
func verdictCounts(t *testing.T, tel *componenttest.Telemetry) (counts map[string]int64, points []metricdata.DataPoint[int64]) {
	t.Helper()
	counted, err := tel.GetMetric("touchstone_verdicts_total")
	if err != nil {
		return nil, nil
	}
	counts = map[string]int64{}
	points = counted.Data.(metricdata.Sum[int64]).DataPoints
	for _, p := range points {
		evaluator, _ := p.Attributes.Value(attribute.Key("evaluator"))
		label, _ := p.Attributes.Value(attribute.Key("label"))
		counts[evaluator.AsString()+"/"+label.AsString()] = p.Value
	}
	return counts, points
}

func TestVerdictsOfChosenSetupsAreMetrics(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	createSetup(t, live, "one", []string{"char-count", "pii-detector"}, exists("gen_ai.system"))
	createSetup(t, live, "two", []string{"char-count", "word-count"}, exists("gen_ai.system"))
	p, tel := startProcessor(t, live, evaluators.Catalog(), defaults())
	_, err := p.processTraces(t.Context(), stamped(3))
	require.NoError(t, err)
	none, _ := verdictCounts(t, tel)
	require.Empty(t, none, "no setup asks for them")

	cfg := defaults()
	cfg.VerdictMetrics.Setups = []string{"one"}
	p, tel = startProcessor(t, live, evaluators.Catalog(), cfg)
	td := stamped(3)
	judged := map[string]bool{}
	for i := range 3 {
		s := spanAt(td, i)
		s.SetTraceID([16]byte{7})
		s.SetSpanID([8]byte{byte(i + 1)})
		id := s.SpanID()
		judged[string(id[:])] = true
	}
	_, err = p.processTraces(t.Context(), td)
	require.NoError(t, err)
	counts, points := verdictCounts(t, tel)
	require.Equal(t, map[string]int64{"char-count/scored": 3, "pii-detector/pass": 3}, counts)
	for _, p := range points {
		require.NotEmpty(t, p.Exemplars)
		for _, e := range p.Exemplars {
			require.True(t, judged[string(e.SpanID)], "the judged span")
		}
	}
	scores, err := tel.GetMetric("touchstone_verdict_scores")
	require.NoError(t, err)
	histogram := scores.Data.(metricdata.Histogram[float64]).DataPoints
	require.Len(t, histogram, 1)
	require.EqualValues(t, 3, histogram[0].Count)
	require.NotEmpty(t, histogram[0].Exemplars)
}

func TestSeriesOfVerdictsAreBounded(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	cfg := defaults()
	cfg.VerdictMetrics = VerdictMetricsConfig{Setups: []string{"one"}, MaxSeries: 5}
	setup := createSetup(t, live, "one", []string{"char-count"}, exists("gen_ai.system"))
	p, tel := startProcessor(t, live, evaluators.Catalog(), cfg)
	of := &eval.Evaluator{}
	s := spanAt(stamped(1), 0)
	for i := range 100 {
		e := &eval.Evaluation{Evaluator: fmt.Sprint("e", i%20), Status: eval.Done, Outputs: []eval.Output{{Name: "is_safe", Value: true}, {Name: "free", Value: "what a user wrote"}}}
		p.verdicts.note(t.Context(), &setup, of, e, s)
	}
	counts, _ := verdictCounts(t, tel)
	require.Len(t, counts, 6)
	require.EqualValues(t, 75, counts["other/other"])
	require.NotContains(t, fmt.Sprint(counts), "user")
}
