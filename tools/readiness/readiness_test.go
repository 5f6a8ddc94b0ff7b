// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The bars of the rule, on fewer traces than docs/notes/trace-readiness.md has.
func TestStructureIsRightAndFast(t *testing.T) {
	t.Parallel()
	all := compare(7, 1500)
	ours := all[0]
	require.Zero(t, ours.orphans)
	require.Less(t, ours.extra, 0.03)
	require.Less(t, ours.median, 2*time.Second)
	require.Greater(t, ours.complete, 0.99)
	for _, timer := range all[1:] {
		require.Greater(t, timer.median, 10*ours.median, timer.name)
	}
}
