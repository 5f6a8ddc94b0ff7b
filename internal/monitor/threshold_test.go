// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProbabilityIsWhatEarlierSamplersAndTheRateLeave(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]float64{
		"": 1, "vendor=x": 1, "ot=": 1, "ot=rv:1234": 1, "ot=th:0": 1,
		"ot=th:8": 0.5, "ot=th:c": 0.25, "ot=th:80000000000000": 0.5, "ot=th:e6666666666666": 0.1,
		"ot=rv:6e6d1a75832a2f;th:c":           0.25,
		"a=b, ot=th:8;x:y,c=d":                0.5,
		"a=b,\tot=th:8\t":                     0.5,
		"ot=th:ffffffffffffff":                1.0 / (1 << 56),
		"ot=th:8,ot=th:c":                     0.5, // a key stands once; the first counts
		"ot=th:":                              1,
		"ot=th:800000000000000":               1, // too long
		"ot=th:C":                             1, // digits are lower case
		"ot=th:-1":                            1,
		"ot=th:0x8":                           1,
		"not=th:8":                            1,
		"ot=path:8":                           1,
		strings.Repeat(",", 5000) + "ot=th:8": 0.5,
	} {
		require.InDelta(t, want, (&SetupEvaluator{}).Probability(state), 1e-15, state)
		require.InDelta(t, want, (&SetupEvaluator{SampleRate: 1}).Probability(state), 1e-15, state)
		require.InDelta(t, want/4, (&SetupEvaluator{SampleRate: 0.25}).Probability(state), 1e-15, state)
		require.Positive(t, (&SetupEvaluator{SampleRate: 1e-300}).Probability(state), state)
	}
}
