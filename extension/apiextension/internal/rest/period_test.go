// SPDX-License-Identifier: Apache-2.0

package rest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
)

func TestWholeSecondsAreNotAfterTheInstant(t *testing.T) {
	t.Parallel()
	for from, to := range map[int64]int64{-1: -1, 0: 0, 1: 0, 999_999_999: 0, 1e9: 1, -1e9: -1, -1e9 - 1: -2} {
		require.Equal(t, to, rest.WholeSeconds(from))
	}
}
