// SPDX-License-Identifier: Apache-2.0

package span_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestSelfTraceIDs(t *testing.T) {
	t.Parallel()
	seen := map[span.TraceID]bool{}
	for range 1000 {
		id := span.NewSelfTraceID()
		require.True(t, id.IsSelf())
		require.Regexp(t, "^746f75636873746f[0-9a-f]{16}$", id.String())
		require.False(t, seen[id])
		seen[id] = true
		id[7]++
		require.False(t, id.IsSelf())
	}
	require.False(t, span.TraceID{}.IsSelf())
}
