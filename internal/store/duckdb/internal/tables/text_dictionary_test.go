// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTextsAreRememberedForEachEnvironment(t *testing.T) {
	t.Parallel()
	d := textDictionary{next: 5}
	id, fresh := d.id(1, ofPrompts, "hello")
	require.True(t, fresh)
	require.EqualValues(t, 5, id)
	again, fresh := d.id(1, ofPrompts, "hello")
	require.False(t, fresh)
	require.Equal(t, id, again)
	other, fresh := d.id(2, ofPrompts, "hello")
	require.True(t, fresh)
	require.EqualValues(t, 6, other)

	completion, fresh := d.id(1, ofCompletions, "hello")
	require.True(t, fresh)
	require.EqualValues(t, 7, completion)

	// What is asked for stays, and the rest is forgotten.
	for i := range 3 * textsRemembered {
		d.id(1, ofPrompts, strconv.Itoa(i))
		if i%1000 == 0 {
			_, fresh := d.id(1, ofPrompts, "hello")
			require.False(t, fresh)
		}
	}
	require.LessOrEqual(t, len(d.young)+len(d.old), 2*textsRemembered)
	_, fresh = d.id(2, ofPrompts, "hello")
	require.True(t, fresh)

	d.forget()
	again, fresh = d.id(1, ofPrompts, "hello")
	require.True(t, fresh)
	require.Greater(t, again, other)
}
