// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"crypto/sha256"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// traceIDs are ids as SDKs make them: at random, counted at either end, and
// with a fixed half.
func traceIDs() map[string]func(i uint64) [16]byte {
	return map[string]func(i uint64) [16]byte{
		"random": func(i uint64) [16]byte {
			digest := sha256.Sum256(binary.BigEndian.AppendUint64(nil, i))
			return [16]byte(digest[:16])
		},
		"counted right": func(i uint64) (id [16]byte) { binary.BigEndian.PutUint64(id[8:], i); return },
		"counted left":  func(i uint64) (id [16]byte) { binary.BigEndian.PutUint64(id[:8], i); return },
		"little endian": func(i uint64) (id [16]byte) { binary.LittleEndian.PutUint64(id[:8], i); return },
		"both halves": func(i uint64) (id [16]byte) {
			binary.BigEndian.PutUint64(id[:8], i)
			binary.BigEndian.PutUint64(id[8:], i)
			return
		},
		"in steps": func(i uint64) (id [16]byte) { binary.BigEndian.PutUint64(id[4:12], i<<20); return },
	}
}

func TestSamplesAreTheShareThatWasAskedFor(t *testing.T) {
	t.Parallel()
	const n = 20_000
	for kind, id := range traceIDs() {
		for _, rate := range []float64{0.001, 0.01, 0.1, 0.5, 0.9} {
			w := SetupEvaluator{SampleRate: rate}
			taken := 0
			for i := range uint64(n) {
				if w.Sampled(id(i)) {
					taken++
				}
			}
			require.InDelta(t, rate, float64(taken)/n, 0.015, "%s ids at %v", kind, rate)
		}
	}
}

func TestLowerRatesTakeSomeOfTheSameTraces(t *testing.T) {
	t.Parallel()
	low, high, other := SetupEvaluator{SampleRate: 0.2}, SetupEvaluator{SampleRate: 0.4}, SetupEvaluator{Slug: "other", SampleRate: 0.2}
	for _, id := range traceIDs() {
		for i := range uint64(2000) {
			trace := id(i)
			require.Equal(t, low.Sampled(trace), other.Sampled(trace))
			require.True(t, !low.Sampled(trace) || high.Sampled(trace))
		}
	}
}

// The numbers are the same in every process and every release.
func TestSamplesStayTheSame(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 0.28176129772, Place([16]byte{}), 1e-9)
	require.InDelta(t, 0.43534499611, Place([16]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}), 1e-9)
}

func TestAllTracesWithoutARate(t *testing.T) {
	t.Parallel()
	for _, rate := range []float64{0, 1, 2, -1} {
		require.True(t, (&SetupEvaluator{SampleRate: rate}).Sampled([16]byte{15: 7}))
	}
}
