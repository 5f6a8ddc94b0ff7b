// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/tools/models/dataset/datasettest"
)

func TestTheSameDataGiveTheSameBytes(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	datasettest.Write(t, data)
	found, err := texts(data)
	require.NoError(t, err)
	require.NotEmpty(t, found)
	first := frequencies(found)
	again, err := texts(data)
	require.NoError(t, err)
	require.Equal(t, first, frequencies(again))
	_, err = texts(t.TempDir())
	require.Error(t, err)
}

func TestStemsAreCountedOncePerText(t *testing.T) {
	t.Parallel()
	require.Equal(t, "4\n4 b\n3 a c\n", string(frequencies([]string{"a b c", "a a b c", "c b", "B, A's! d"})))
}
