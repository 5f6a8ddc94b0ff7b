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
