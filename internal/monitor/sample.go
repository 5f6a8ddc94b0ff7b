// SPDX-License-Identifier: Apache-2.0

package monitor

import "encoding/binary"

// Sampled reports whether the spans of a trace are among those to judge. Equal
// rates take the same traces, in every process, and a lower rate takes some of
// those that a higher one takes.
func (w *SetupEvaluator) Sampled(trace [16]byte) bool {
	if w.SampleRate <= 0 || w.SampleRate >= 1 {
		return true
	}
	return Place(trace) < w.SampleRate
}

// Probability returns how likely it was that a span with this trace state came
// to be judged: the share that earlier samplers kept times the sample rate.
// Both look at other bits of a trace, so they are independent.
func (w *SetupEvaluator) Probability(traceState string) float64 {
	kept := keptBefore(traceState)
	if w.SampleRate <= 0 || w.SampleRate >= 1 {
		return kept
	}
	return kept * w.SampleRate
}

// Place returns the place of a trace in [0, 1): the rates above it take the
// trace. All bytes have a say, since ids
// need not be random: some are counted, some have a fixed half.
func Place(trace [16]byte) float64 {
	h := mix(binary.BigEndian.Uint64(trace[:8]) + 0x9e3779b97f4a7c15)
	h = mix(h ^ binary.BigEndian.Uint64(trace[8:]))
	return float64(h>>11) / (1 << 53)
}

// mix is the finalizer of splitmix64: every bit of x changes half of the bits
// of the result. https://prng.di.unimi.it/splitmix64.c
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
