// SPDX-License-Identifier: Apache-2.0

package anytime_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/anytime"
)

const alpha = 0.05

func TestIntervalsOfLittle(t *testing.T) {
	t.Parallel()
	var s anytime.Sample
	low, high := s.Interval(alpha)
	require.Equal(t, []float64{0, 1}, []float64{low, high})
	require.Zero(t, s.Effective())
	for range 5 {
		s.Add(1, 1)
	}
	low, high = s.Interval(alpha)
	require.Less(t, low, 0.5, "five spans say little")
	require.InDelta(t, 1, high, 0)
	s = anytime.Sample{}
	for i := range 1000 {
		s.Add(float64(i%10/9), 1)
	}
	low, high = s.Interval(alpha)
	require.InDelta(t, 0.1, s.Mean(), 1e-9)
	require.InDelta(t, 1000, s.Effective(), 1e-6)
	require.Less(t, low, 0.1)
	require.Greater(t, high, 0.1)
	require.Less(t, high-low, 0.1)
}

// A bernoulli draws 1 with a probability, else 0.
func bernoulli(r *rand.Rand, p float64) float64 {
	if r.Float64() < p {
		return 1
	}
	return 0
}

// clustered draws the mean of a cluster of spans of one trace, most of which are alike, as a
// judge sees them that errs.
func clustered(r *rand.Rand, p float64, size int, errs float64) float64 {
	sum, alike := 0.0, bernoulli(r, p)
	for range size {
		x := alike
		if r.Float64() < 0.3 {
			x = bernoulli(r, p)
		}
		if r.Float64() < errs {
			x = 1 - x
		}
		sum += x
	}
	return sum / float64(size)
}

// What is seen every minute is right in 95 % of streams, all the time. The plain average
// with its usual interval is wrong in most streams at some time.
func TestIntervalsHoldWhileOneLooks(t *testing.T) {
	t.Parallel()
	const minutes, p = 1500, 0.08
	held, plainHeld, streams := 0, 0, 0
	for _, perMinute := range []float64{0.1, 1, 10} { // of 100 spans a minute, 0.1, 1 and 10 %
		for _, size := range []int{1, 10, 50} {
			for _, errs := range []float64{0, 0.1} {
				mean := p*(1-errs) + (1-p)*errs
				for seed := range uint64(56) {
					streams++
					r := rand.New(rand.NewPCG(seed, uint64(size)))
					var s anytime.Sample
					always, plain := true, true
					for range minutes {
						for range int(perMinute) + int(bernoulli(r, perMinute-math.Floor(perMinute))) {
							s.Add(clustered(r, p, size, errs), 1)
						}
						always = always && s.Contains(mean, alpha)
						wide := 1.96 * math.Sqrt(s.Mean()*(1-s.Mean())/s.Count)
						plain = plain && (s.Count < 30 || math.Abs(s.Mean()-mean) <= wide)
					}
					held += int(truth(always))
					plainHeld += int(truth(plain))
				}
			}
		}
	}
	t.Logf("of %d streams: %.1f %% right at every minute; by the plain average %.1f %%", streams, 100*float64(held)/float64(streams), 100*float64(plainHeld)/float64(streams))
	require.Greater(t, streams, 1000)
	require.GreaterOrEqual(t, float64(held), 0.95*float64(streams))
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// Spans of two services are sampled with probabilities of their own.
func TestWeightsMakeUpForSampling(t *testing.T) {
	t.Parallel()
	const streams, drawn = 400, 3000
	held, plain := 0, 0
	for seed := range uint64(streams) {
		r := rand.New(rand.NewPCG(seed, 7))
		var s, unweighted anytime.Sample
		always := true
		for range drawn {
			// Half of all spans are of each service: 2 % of one fail, and all are judged; 20 %
			// of the other, and one in four is.
			failing, probability := 0.02, 1.0
			if r.Float64() < 0.5 {
				failing, probability = 0.2, 0.25
			}
			if r.Float64() < probability {
				x := bernoulli(r, failing)
				s.Add(x, 0.25/probability)
				unweighted.Add(x, 1)
				always = always && s.Contains(0.11, alpha)
			}
		}
		held += int(truth(always))
		plain += int(truth(unweighted.Contains(0.11, alpha)))
	}
	require.GreaterOrEqual(t, held, streams*95/100)
	require.Less(t, plain, streams/10, "without weights the interval is of another mean")
}

const month = 30 * 24 * 60 // minutes

// arriving draws how many values come in a minute.
func arriving(r *rand.Rand, perHour int) int {
	return perHour/60 + int(bernoulli(r, float64(perHour%60)/60))
}

// watch runs a detector of a mean above 5 % on a stream, and returns the minute of its
// alarm, or minutes.
func watch(r *rand.Rand, minutes, groups, perHour int, draw func(minute int) float64) int {
	detectors := make([]anytime.Detector, groups)
	for minute := range minutes {
		for g := range detectors {
			d := &detectors[g]
			d.Start(1.0 / month / float64(groups))
			for range arriving(r, perHour) {
				d.Add(draw(minute), 1, 0.05)
			}
			if d.Evidence() >= 1/alpha {
				return minute
			}
		}
	}
	return minutes
}

func TestFalseAlarmsOfAMonth(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ streams, groups, size int }{
		"one group":           {200, 1, 1},
		"ten groups":          {20, 10, 1},
		"traces of ten spans": {100, 1, 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			alarms := 0
			for seed := range uint64(row.streams) {
				r := rand.New(rand.NewPCG(seed, 3))
				if watch(r, month, row.groups, 200, func(int) float64 { return clustered(r, 0.05, row.size, 0) }) < month {
					alarms++
				}
			}
			t.Logf("%d of %d streams had a false alarm in 30 days, with the mean at its bound", alarms, row.streams)
			require.LessOrEqual(t, alarms, row.streams/20)
		})
	}
}

// cusum returns when a detector that knows both rates finds the change. Its bound is such
// that a month without one has a false alarm in 5 % of streams.
func cusum(r *rand.Rand, minutes, perHour int, draw func(minute int) float64) int {
	const bound = 10.5
	sum := 0.0
	for minute := range minutes {
		for range arriving(r, perHour) {
			x := draw(minute)
			sum = max(0, sum+x*math.Log(0.15/0.05)+(1-x)*math.Log(0.85/0.95))
		}
		if sum >= bound {
			return minute
		}
	}
	return minutes
}

// From 95 % that pass to 85 %, at 200 an hour, after a day at the bound.
func TestDelayOfAlarms(t *testing.T) {
	t.Parallel()
	const streams, change, hour = 400, 24 * 60, 60
	at := func(size int, find func(r *rand.Rand, minutes, perHour int, draw func(int) float64) int) (middle, late float64) {
		var delays []int
		for seed := range uint64(streams) {
			r := rand.New(rand.NewPCG(seed, 5))
			found := find(r, change+48*hour, 200/size, func(minute int) float64 {
				if minute < change {
					return clustered(r, 0.05, size, 0)
				}
				return clustered(r, 0.15, size, 0)
			})
			delays = append(delays, found-change)
		}
		slices.Sort(delays)
		return float64(delays[streams/2]) / hour, float64(delays[streams*95/100]) / hour
	}
	ours := func(r *rand.Rand, minutes, perHour int, draw func(int) float64) int {
		return watch(r, minutes, 1, perHour, draw)
	}
	middle, late := at(1, ours)
	known, knownLate := at(1, cusum)
	clusters, clustersLate := at(10, ours)
	t.Logf("hours until the alarm, in half and in 95 %% of streams: %.1f, %.1f; a CUSUM that knows both rates %.1f, %.1f; traces of 10 spans %.1f, %.1f",
		middle, late, known, knownLate, clusters, clustersLate)
	require.LessOrEqual(t, late, 3.0)
}
