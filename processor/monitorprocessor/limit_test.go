// SPDX-License-Identifier: Apache-2.0

package monitorprocessor

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

// However many setups match a span, it has so many evaluations, and says so.
func TestEvaluationsOfASpanAreBounded(t *testing.T) {
	t.Parallel()
	live := newLive(t)
	for i := range 70 {
		createSetup(t, live, "s"+strconv.Itoa(i), []string{"char-count", "word-count", "json-validator"}, exists("llm.vendor"))
	}
	p, telemetry := startProcessor(t, live, evaluators.Catalog(), defaults())
	for _, made := range judged(t, p, stamped(2)) {
		require.Len(t, made, monitor.MaxEvaluations+1)
		for _, e := range made[:monitor.MaxEvaluations] {
			require.NotEqual(t, eval.ReasonLimit, e.Reason)
		}
		last := made[monitor.MaxEvaluations]
		require.Equal(t, eval.Skipped, last.Status)
		require.Equal(t, eval.ReasonLimit, last.Reason)
		require.Equal(t, "json-validator", last.Evaluator)
	}
	require.EqualValues(t, 2*(210-monitor.MaxEvaluations), counts(t, telemetry)["skipped/limit//"])
}
