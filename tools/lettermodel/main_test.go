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
	made, err := train(data)
	require.NoError(t, err)
	again, err := train(data)
	require.NoError(t, err)
	require.Equal(t, made, again)
	_, err = train(t.TempDir())
	require.Error(t, err)
}
