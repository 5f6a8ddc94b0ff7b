// SPDX-License-Identifier: Apache-2.0

package query

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStepsOfAPeriod(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to, step int64
		want           []int64
	}{
		{0, 0, 10, []int64{0}},
		{3, 29, 10, []int64{0, 10, 20}},
		{3, 30, 10, []int64{0, 10, 20, 30}},
		{-11, -1, 10, []int64{-20, -10}},
		{-10, 0, 10, []int64{-10, 0}},
		{math.MaxInt64 - 9, math.MaxInt64, 10, []int64{math.MaxInt64 - 17, math.MaxInt64 - 7}},
		{math.MaxInt64, math.MaxInt64, math.MaxInt64, []int64{math.MaxInt64}},
		{math.MinInt64, math.MinInt64, 10, []int64{math.MinInt64}},
		{math.MinInt64, math.MinInt64 + 8, 10, []int64{math.MinInt64, math.MinInt64 + 8}},
		{math.MinInt64, math.MaxInt64, math.MaxInt64, []int64{math.MinInt64, -math.MaxInt64, 0, math.MaxInt64}},
	} {
		require.Equal(t, c.want, StepsIn(c.from, c.to, c.step), "%+v", c)
		for _, at := range []int64{c.from, c.to} {
			begin := StepOf(at, c.step)
			require.LessOrEqual(t, begin, at)
			require.Contains(t, c.want, begin)
		}
	}
}
