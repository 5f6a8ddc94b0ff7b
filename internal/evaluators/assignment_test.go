// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAssignTakesTheLargestGroup(t *testing.T) {
	t.Parallel()
	calls := make([]string, 64)
	back := make([]string, 64)
	for i := range calls {
		calls[i] = fmt.Sprintf("f q=%d", i)
		back[64-1-i] = calls[i]
	}
	require.InDelta(t, 1, judge(t, tools(t, calls...), tools(t, back...), "").Score, 1e-12)
	more := slices.Concat(back, []string{"f q=999", "f q=1000"})
	require.InDelta(t, 1, judge(t, tools(t, calls...), tools(t, more...), "").Score, 1e-12, "above the bound, by the most alike")
}
