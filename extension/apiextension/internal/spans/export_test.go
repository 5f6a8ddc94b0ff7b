// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCellsAreNoFormulas(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`=HYPERLINK("https:")`, "+1+cmd|' /C calc'!A0", "@SUM(A1)", "-2+3", "\t=1", " =1", "\r=1", "\u00a0=1", "\ufeff=1", "\uff1d1", "\uff0b1", "\uff0d1", "\uff201", "\x00=1", "\tx", "\n+1", "-",
	} {
		require.Equal(t, []string{"'" + text}, cellsOf([]string{text}), "%q", text)
	}
	for _, text := range []string{"", "plain", `a "b", c`, "a\nb", "-12.5", "1e-7", "-1E+7", "a=1", "1-2"} {
		require.Equal(t, []string{text}, cellsOf([]string{text}), "%q", text)
	}
}
