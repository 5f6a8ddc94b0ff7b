// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeptSchemasAreBounded(t *testing.T) {
	t.Parallel()
	known := NewSchemas()
	for i := range 3 * cachedSchemas {
		require.NoError(t, known.Check(fmt.Sprintf(`{"const":%d}`, i)))
	}
	require.Equal(t, cachedSchemas, known.small.Len())
	known.small.Purge()
	require.NoError(t, known.Check(`{"description":"`+strings.Repeat("a", maxCachedSchema)+`"}`))
	require.Zero(t, known.small.Len())
}
