// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A text of one passage is treated unlike one of several: its log odds are raised.
func TestATextThatIsOnePassageIsRaised(t *testing.T) {
	t.Parallel()
	weights := make([]int8, 1<<10)
	for i := range weights {
		weights[i] = int8(i%7 - 3)
	}
	m, err := New(10, []Class{{Label: "x", Scale: 0.1, Bias: -1}}, weights)
	require.NoError(t, err)
	require.NoError(t, m.Split(100))
	short, long := "The garden is open today.", strings.Repeat("The garden is open today, and the museum is not. ", 8)
	require.InDelta(t, m.Odds(short)+aloneOdds, m.OddsAlone(short), 1e-9)
	require.InDelta(t, m.Odds(long), m.OddsAlone(long), 1e-9)
	require.InDelta(t, m.Probability(long), m.ProbabilityAlone(long), 1e-9)
	require.InDelta(t, 1/(1+math.Exp(-m.Odds(short)-aloneOdds)), m.ProbabilityAlone(short), 1e-9)
	require.True(t, math.IsInf(m.OddsAlone(" "), -1))
	require.Zero(t, m.ProbabilityAlone(""))
}
