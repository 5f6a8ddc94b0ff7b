// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
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

func TestUsualWordsAreListedByTheirStems(t *testing.T) {
	t.Parallel()
	var all []string
	for range lexical.UsualFrom {
		all = append(all, "Running runs. A's 42 über")
	}
	require.Equal(t, "a a\nrun running runs\n", string(forms(append(all, "rare"))))
}
