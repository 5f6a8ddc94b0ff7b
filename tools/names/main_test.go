// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPartsOfNamesAreEntered(t *testing.T) {
	t.Parallel()
	names := list{}
	names.add("Anna-Maria", 'f')
	names.add("von Bülow", 's')
	names.add("Maria", 's')
	names.add("Al", 'f')
	names.add("李", 's')
	require.Equal(t, list{"anna": 'f', "maria": 'b', "bülow": 's'}, names)
}

func TestAWordIsNoName(t *testing.T) {
	t.Parallel()
	words := map[string]cases{}
	for range 2 {
		count("Ada asked anna@example.org to mark the rose. Write to daniel.b_2, Anna!", words)
	}
	for word, want := range map[string]bool{"mark": true, "rose": true, "ada": false, "anna": false, "daniel": false, "nobody": false} {
		require.Equal(t, want, words[word].isWord(), word)
	}
	require.True(t, cases{lower: 3, upper: 100}.isWord(), "english")
	require.False(t, cases{lower: 2, upper: 100}.isWord())
}
