// SPDX-License-Identifier: Apache-2.0

// Package sequences compares lists of texts.
package sequences

import "math/bits"

// maxInOrder is the length up to which sequences are compared in order, which
// takes time with the product of their lengths.
const maxInOrder = 20_000

// AlikeInOrder returns the share, 0 to 1, of two sequences that is common to
// both in the same order. Two empty ones are alike.
func AlikeInOrder(a, b []string) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	common := 0
	if len(a) <= maxInOrder && len(b) <= maxInOrder {
		common = commonSubsequence(a, b)
	} else {
		common, _ = overlap(tally(a), tally(b))
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}

// commonSubsequence returns the length of the longest common subsequence, 64
// elements of a at a time: a column of the usual table is kept as bits that
// are 0 where it grows.
func commonSubsequence(a, b []string) int {
	places := make(map[string][]int)
	for i, s := range a {
		places[s] = append(places[s], i)
	}
	words := (len(a) + 63) / 64
	column := make([]uint64, words)
	for i := range column {
		column[i] = ^uint64(0)
	}
	matches := make([]uint64, words)
	for _, s := range b {
		found := places[s]
		if found == nil {
			continue
		}
		for _, i := range found {
			matches[i/64] |= 1 << (i % 64)
		}
		var carry uint64
		for w, v := range column {
			sum, over := bits.Add64(v, v&matches[w], carry)
			column[w], carry = sum|v&^matches[w], over
		}
		for _, i := range found {
			matches[i/64] = 0
		}
	}
	length := 0
	for w, v := range column {
		if w == words-1 && len(a)%64 != 0 {
			v |= ^uint64(0) << (len(a) % 64)
		}
		length += bits.OnesCount64(^v)
	}
	return length
}

func tally(list []string) map[string]int {
	counts := make(map[string]int)
	for _, s := range list {
		counts[s]++
	}
	return counts
}

// overlap returns the sizes of the intersection and the union of two multisets.
func overlap(a, b map[string]int) (common, all int) {
	for s, n := range a {
		common += min(n, b[s])
		all += max(n, b[s])
	}
	for s, n := range b {
		if _, ok := a[s]; !ok {
			all += n
		}
	}
	return common, all
}

// Jaccard returns the share of two multisets that is common to both. Two empty
// ones are alike.
func Jaccard(a, b map[string]int) float64 {
	common, all := overlap(a, b)
	if all == 0 {
		return 1
	}
	return float64(common) / float64(all)
}
