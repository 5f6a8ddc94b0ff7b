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

func TestCountsOfAnySizeCount(t *testing.T) {
	t.Parallel()
	known := NewSchemas()
	const wraps = "18446744073709551617" // 2⁶⁴+1
	for _, count := range []string{"9223372036854775808", wraps, "1e400", "1.8446744073709551617e19"} {
		for text, satisfied := range map[string]map[string]bool{
			`"abc"`:         {"minLength": false, "maxLength": true},
			`[1,2,3]`:       {"minItems": false, "maxItems": true},
			`{"a":1,"b":2}`: {"minProperties": false, "maxProperties": true},
		} {
			for keyword, want := range satisfied {
				got, err := known.Satisfied(`{"`+keyword+`":`+count+`}`, text)
				require.NoError(t, err)
				require.Equal(t, want, got, "%s %s", keyword, count)
			}
		}
		got, err := known.Satisfied(`{"contains":{"type":"integer"},"maxContains":`+count+`}`, `[1,2,3]`)
		require.NoError(t, err)
		require.True(t, got, count)
		got, err = known.Satisfied(`{"contains":{"type":"integer"},"minContains":`+count+`}`, `[1,2,3]`)
		require.NoError(t, err)
		require.False(t, got, count)
	}
	got, err := known.Satisfied(`{"minLength":1e0,"maxLength":3.0,"properties":{"maxLength":{"const":`+wraps+`}}}`, `"abc"`)
	require.NoError(t, err)
	require.True(t, got)
}
