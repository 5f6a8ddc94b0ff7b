// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamesAreCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	require.Equal(t, "é", cut("é"))
	require.Equal(t, "a"+strings.Repeat("é", 127), cut("a"+strings.Repeat("é", 200)))
	require.Equal(t, strings.Repeat("é", 128), cut(strings.Repeat("é", 200)))
	require.Empty(t, cut(strings.Repeat("\x80", 300)))
}
