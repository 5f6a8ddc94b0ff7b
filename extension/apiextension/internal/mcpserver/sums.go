// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"cmp"
	"maps"
	"slices"
)

// sums works out what a step shows.
type sums struct {
	booleans, trues int
	numbers         int
	sum, min, max   float64
	texts           map[string]int
	all             int
}

func (s *sums) boolean(v bool) {
	s.booleans++
	if v {
		s.trues++
	}
}

func (s *sums) number(v float64) {
	if s.numbers == 0 {
		s.min, s.max = v, v
	}
	s.numbers++
	s.sum += v
	s.min, s.max = min(s.min, v), max(s.max, v)
}

func (s *sums) text(v string) {
	if s.texts == nil {
		s.texts = make(map[string]int)
	}
	s.all++
	s.texts[cut(v)]++
}

func (s *sums) into(step *Step) {
	if s.booleans > 0 {
		share := float64(s.trues) / float64(s.booleans)
		step.True = &share
	}
	if s.numbers > 0 {
		mean := s.sum / float64(s.numbers)
		step.Mean, step.Min, step.Max = &mean, &s.min, &s.max
	}
	if s.all == 0 {
		return
	}
	names := slices.SortedFunc(maps.Keys(s.texts), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.texts[b], s.texts[a]), cmp.Compare(a, b))
	})
	step.Values = make(map[string]float64)
	for _, name := range names[:min(len(names), 10)] {
		step.Values[name] = float64(s.texts[name]) / float64(s.all)
	}
}
