// SPDX-License-Identifier: Apache-2.0

package sequences

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// commonByTable is the length of the longest common subsequence, the plain way.
func commonByTable(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

func TestCommonSubsequence(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	letters := strings.Split("abcdefgh", "")
	for range 300 {
		draw := func() []string {
			list := make([]string, r.IntN(200))
			for i := range list {
				list[i] = letters[r.IntN(1+r.IntN(len(letters)))]
			}
			return list
		}
		a, b := draw(), draw()
		require.Equal(t, commonByTable(a, b), commonSubsequence(a, b))
	}
}
