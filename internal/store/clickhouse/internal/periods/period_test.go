// SPDX-License-Identifier: Apache-2.0

package periods

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestNoStartsTouchMorePartitionsThanAServerTakes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	now := time.Date(2025, 11, 21, 10, 30, 0, 0, time.UTC)
	parts := map[uint32]bool{}
	for range 100_000 {
		retention := time.Duration(r.Int64N(int64(200_000 * time.Hour)))
		start := []int64{
			r.Int64(), math.MaxInt64, now.UnixNano(), now.UnixNano() - r.Int64N(int64(retention)+1), now.UnixNano() + r.Int64N(int64(1000*time.Hour)),
		}[r.IntN(5)]
		p := Of(start, retention, now)
		if p.Expires < now.UnixNano() {
			continue // is not stored
		}
		parts[p.Part] = true
		require.Greater(t, int64(p.Gone), min(now.Unix(), p.Expires/1e9), "nothing goes before it expired")
		require.Equal(t, p.Gone, EndOf(p.Part))
	}
	require.Less(t, len(parts), 100)
}
