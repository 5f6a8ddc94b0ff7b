// SPDX-License-Identifier: Apache-2.0

package query

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumberPatternIsWhatParseNumberTakes(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile("^(?:" + NumberPattern + ")$")
	for _, text := range []string{
		"0", "7", "-7", "+7", "007", "1.", ".5", "-.5", "1.5", "1e3", "1E+3", "1.e-3", ".5e0", "0e0",
		"", ".", "-", "+", "e1", "1e", "1e+", "1.5.5", "--1", "1-1", "1 ", " 1", "1\n", "inf", "-Inf", "nan", "0x10", "1_000", "1,5", "١",
	} {
		_, takes := ParseNumber(text)
		require.Equal(t, takes, pattern.MatchString(text), "%q", text)
	}
}
