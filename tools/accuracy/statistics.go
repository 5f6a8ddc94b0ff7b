// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"math"
	"slices"
)

// counts of verdicts.
type counts struct{ hits, alarms, misses, passes float64 }

func tally(verdicts []verdict) counts {
	var c counts
	for _, v := range verdicts {
		switch {
		case v.got && v.want:
			c.hits++
		case v.got:
			c.alarms++
		case v.want:
			c.misses++
		default:
			c.passes++
		}
	}
	return c
}

func (c counts) precision() float64 { return ratio(c.hits, c.hits+c.alarms) }

func (c counts) recall() float64 { return ratio(c.hits, c.hits+c.misses) }

func (c counts) f1() float64 { return ratio(2*c.hits, 2*c.hits+c.alarms+c.misses) }

func (c counts) accuracy() float64 {
	return ratio(c.hits+c.passes, c.hits+c.alarms+c.misses+c.passes)
}

func ratio(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}

// figures returns the usual figures of verdicts on a set.
func (c counts) figures(set string) []figure {
	return []figure{
		c.figure(set, "F1", counts.f1), c.figure(set, "precision", counts.precision),
		c.figure(set, "recall", counts.recall), c.figure(set, "accuracy", counts.accuracy),
	}
}

// size is the number of verdicts.
func (c counts) size() int { return int(c.hits + c.alarms + c.misses + c.passes) }

// figure returns one figure of verdicts with its interval.
func (c counts) figure(set, name string, of func(counts) float64) figure {
	return score(set, c.size(), name, of(c)).within(c.interval(of))
}

// macro is the mean of the F1 of both classes.
func (c counts) macro() float64 {
	return (c.f1() + counts{hits: c.passes, alarms: c.misses, misses: c.alarms, passes: c.hits}.f1()) / 2
}

// alarmed is the share of the texts without what is looked for that were
// objected to.
func (c counts) alarmed() float64 { return ratio(c.alarms, c.alarms+c.passes) }

// falseAlarms returns the share of false alarms as a figure.
func (c counts) falseAlarms(set string) figure {
	return share(set, c.size(), "false alarms", c.alarmed()).within(c.interval(counts.alarmed))
}

// areaUnderROC is the probability that a random text of the class is given a
// higher probability than a random text that is not; equal ones count half.
func areaUnderROC(probabilities []float64, want []bool) float64 {
	order := make([]int, len(probabilities))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(probabilities[a], probabilities[b]) })
	ranks, in := 0.0, 0.0
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && probabilities[order[to]] == probabilities[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			if want[i] {
				ranks += float64(from+to+1) / 2
				in++
			}
		}
		from = to
	}
	return ratio(ranks-in*(in+1)/2, in*(float64(len(order))-in))
}

// macroF1 returns the F1 of each class in order, and their mean.
func macroF1(classes []string, got, want []string) (each []float64, mean float64) {
	for _, class := range classes {
		verdicts := make([]verdict, len(got))
		for i := range got {
			verdicts[i] = verdict{got: got[i] == class, want: want[i] == class}
		}
		f := tally(verdicts).f1()
		each = append(each, f)
		mean += f / float64(len(classes))
	}
	return each, mean
}

// balanced is the mean of the shares of either class that were recognized.
func (c counts) balanced() float64 {
	return (ratio(c.hits, c.hits+c.misses) + ratio(c.passes, c.passes+c.alarms)) / 2
}

// correlation is Pearson's of two lists.
func correlation(a, b []float64) float64 {
	n := float64(len(a))
	meanA, meanB := 0.0, 0.0
	for i := range a {
		meanA += a[i] / n
		meanB += b[i] / n
	}
	ab, aa, bb := 0.0, 0.0, 0.0
	for i := range a {
		x, y := a[i]-meanA, b[i]-meanB
		ab += x * y
		aa += x * x
		bb += y * y
	}
	return ratio(ab, math.Sqrt(aa*bb))
}
