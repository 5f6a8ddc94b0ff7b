// SPDX-License-Identifier: Apache-2.0

package partitions

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatIsRememberedEndsWithAChange(t *testing.T) {
	t.Parallel()
	r := newRemembered()
	k := rememberedKey{serial: 1, what: "x"}
	r.put(k, rememberedValue{changes: 3, value: "three", bytes: 10})
	got, found := r.get(k, 3)
	require.True(t, found)
	require.Equal(t, "three", got)
	_, found = r.get(k, 4)
	require.False(t, found)
	r.put(k, rememberedValue{changes: 4, value: "four", bytes: 20})
	_, found = r.get(k, 3)
	require.False(t, found)
	require.Equal(t, 20, r.bytes)

	const large = rememberedBytes / 4
	for i := range 10 {
		r.put(rememberedKey{serial: int64(i)}, rememberedValue{value: i, bytes: large})
	}
	require.LessOrEqual(t, r.bytes, rememberedBytes)
	require.Equal(t, 4, r.list.Len())
	_, found = r.get(rememberedKey{serial: 9}, 0)
	require.True(t, found)
	_, found = r.get(k, 4)
	require.False(t, found)
}
