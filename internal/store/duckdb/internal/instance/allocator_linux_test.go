// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheAllocatorHasOneArena(t *testing.T) {
	t.Parallel()
	require.Equal(t, 1, arenas())
}
