// SPDX-License-Identifier: Apache-2.0

package ngram

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestATableFindsWhatItWasGiven(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 3, 1000, 300_000} {
		entries := map[uint32]entry{}
		for i := range n {
			h := r.Uint32()
			switch {
			case i == 0:
				h = 0
			case i == 1:
				h = 1<<32 - 1
			case i%2 == 0:
				h &= 0x0003_00ff // many that begin alike
			}
			entries[h] = entry{count: 1 + r.Uint32N(15), kinds: r.Uint32N(256)}
		}
		table := tableOf(entries)
		for h, want := range entries {
			require.Equal(t, want, table.find(h))
		}
		for range 10_000 {
			h := r.Uint32()
			require.Equal(t, entries[h], table.find(h))
		}
		require.Equal(t, entries, maps.Collect(table.all()))
		last := -1
		for h := range table.all() {
			require.Greater(t, int(h), last)
			last = int(h)
		}
	}
}

func TestCountsKeepTheirFourHighestBits(t *testing.T) {
	t.Parallel()
	for n := range uint32(16) {
		require.Equal(t, n, longs[short(n)])
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range append([]uint32{16, 17, 31, 32, 1 << 31, 1<<32 - 1}, r.Uint32(), r.Uint32()>>9, r.Uint32()>>20) {
		kept := longs[short(n)]
		require.LessOrEqual(t, kept, n)
		require.Less(t, n-kept, max(1, n/8))
		require.Equal(t, kept, longs[short(kept)], "it is as it is in a file")
	}
}
