// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"math/rand/v2"

	"github.com/touchstone-otel/touchstone/internal/evaluators/linear"
	"github.com/touchstone-otel/touchstone/internal/evaluators/wordvectors"
)

const (
	// netRow is the number of weights of a filter.
	netRow = linear.Width * wordvectors.Dimensions
	// netBatch is the number of samples after which weights move.
	netBatch = 16
	// netRate is how far they move at first; it falls to nothing.
	netRate = 0.002
	// netDecay pulls them to nothing.
	netDecay = 1e-3
	// netDrop is the share of answers that a sample is trained without.
	netDrop = 0.2
)

// net is what linear.Dense holds while it is trained: filters over words in a row,
// and what their highest and mean answers weigh for each class.
type net struct {
	filters, classes int
	// weights has the kernels, the biases of filters, and for each class the weights of
	// the highest and of the mean answers and a bias.
	weights, gradient, first, second []float32
	moves                            int
	directions                       map[int32]*[wordvectors.Dimensions]float32

	// Of the passage that was read last: its words, padded, the answers of filters word
	// by word, where the highest are, and what the classes are given.
	words   []float32
	answers []float32
	tokens  int
	highest []int
	pooled  []float32
	kept    []float32
	odds    []float32
}

func newNet(filters, classes int, random *rand.Rand) *net {
	n := filters*(netRow+1) + classes*(2*filters+1)
	made := &net{
		filters: filters, classes: classes, weights: make([]float32, n), gradient: make([]float32, n),
		first: make([]float32, n), second: make([]float32, n), directions: map[int32]*[wordvectors.Dimensions]float32{},
		highest: make([]int, filters), pooled: make([]float32, 2*filters), kept: make([]float32, 2*filters), odds: make([]float32, classes),
	}
	for i := range made.weights[:filters*netRow] {
		made.weights[i] = float32(random.NormFloat64() * math.Sqrt(0.5/netRow))
	}
	for k := range classes {
		out := made.out(made.weights, k)
		for i := range out[:2*filters] {
			out[i] = float32(random.NormFloat64() * math.Sqrt(0.5/float64(filters)))
		}
	}
	return made
}

// out returns the part of weights, or of what is as long, that is of a class.
func (n *net) out(weights []float32, class int) []float32 {
	size := 2*n.filters + 1
	from := n.filters*(netRow+1) + class*size
	return weights[from : from+size]
}

// biases returns the part that has the biases of filters.
func (n *net) biases(weights []float32) []float32 {
	return weights[n.filters*netRow : n.filters*(netRow+1)]
}

// dot is the sum of products. Four sums at once are faster than one.
func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	for len(a) >= 4 && len(b) >= 4 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	return s0 + s1 + s2 + s3
}

// addTimes adds b to a, factor times.
func addTimes(a, b []float32, factor float32) {
	b = b[:len(a)]
	for i := range a {
		a[i] += factor * b[i]
	}
}

// read gives what a passage adds to the log odds of each class. With a source of chance
// some answers are left out.
func (n *net) read(sequence []int32, random *rand.Rand) []float32 {
	const size = wordvectors.Dimensions
	n.tokens = len(sequence)
	if need := (n.tokens + linear.Width) * size; cap(n.words) < need {
		n.words = make([]float32, need)
	}
	n.words = n.words[:(n.tokens+linear.Width)*size]
	clear(n.words)
	for t, place := range sequence {
		if place >= 0 {
			copy(n.words[(t+linear.Width/2)*size:], n.direction(place)[:])
		}
	}
	if need := n.tokens * n.filters; cap(n.answers) < need {
		n.answers = make([]float32, need)
	}
	n.answers = n.answers[:n.tokens*n.filters]
	biases := n.biases(n.weights)
	for f := range n.filters {
		kernel := n.weights[f*netRow : (f+1)*netRow]
		highest, at, sum := float32(0), -1, float32(0)
		for t := range n.tokens {
			v := max(0, biases[f]+dot(kernel, n.words[t*size:]))
			n.answers[f*n.tokens+t] = v
			sum += v
			if v > highest {
				highest, at = v, t
			}
		}
		n.highest[f] = at
		n.pooled[f], n.pooled[n.filters+f] = highest, linear.MeanOf(sum, n.tokens)
	}
	for i := range n.kept {
		n.kept[i] = 1
		if random != nil {
			n.kept[i] = 0
			if random.Float64() >= netDrop {
				n.kept[i] = 1 / (1 - netDrop)
			}
		}
		n.pooled[i] *= n.kept[i]
	}
	for k := range n.odds {
		out := n.out(n.weights, k)
		n.odds[k] = out[2*n.filters] + dot(n.pooled, out[:2*n.filters])
	}
	return n.odds
}

func (n *net) direction(place int32) *[wordvectors.Dimensions]float32 {
	d, ok := n.directions[place]
	if !ok {
		d = new([wordvectors.Dimensions]float32)
		linear.Direction(int(place), d)
		n.directions[place] = d
	}
	return d
}

// learn adds to the gradient what the passage that was read last asks for: by class, how
// the cost changes with its log odds.
func (n *net) learn(slopes []float32) {
	back := make([]float32, 2*n.filters)
	for k, slope := range slopes {
		out, gradient := n.out(n.weights, k), n.out(n.gradient, k)
		gradient[2*n.filters] += slope
		addTimes(gradient[:2*n.filters], n.pooled, slope)
		addTimes(back, out[:2*n.filters], slope)
	}
	biases := n.biases(n.gradient)
	for f := range n.filters {
		kernel := n.gradient[f*netRow : (f+1)*netRow]
		mean := linear.MeanOf(back[n.filters+f]*n.kept[n.filters+f], n.tokens)
		for t, v := range n.answers[f*n.tokens : (f+1)*n.tokens] {
			if v <= 0 {
				continue
			}
			push := mean
			if t == n.highest[f] {
				push += back[f] * n.kept[f]
			}
			if push != 0 {
				biases[f] += push
				addTimes(kernel, n.words[t*wordvectors.Dimensions:], push)
			}
		}
	}
}

// move changes the weights by the gradient (Kingma and Ba 2015,
// https://arxiv.org/abs/1412.6980) and forgets it.
func (n *net) move(rate float64) {
	const keepFirst, keepSecond = 0.9, 0.999
	n.moves++
	whole := 1 - math.Pow(keepFirst, float64(n.moves))
	step := float32(rate / whole)
	scale := float32(1 / math.Sqrt(1-math.Pow(keepSecond, float64(n.moves))))
	decay := float32(rate * netDecay)
	for i, g := range n.gradient {
		n.first[i] = keepFirst*n.first[i] + (1-keepFirst)*g
		n.second[i] = keepSecond*n.second[i] + (1-keepSecond)*g*g
		n.weights[i] -= step*n.first[i]/(float32(math.Sqrt(float64(n.second[i])))*scale+1e-8) + decay*n.weights[i]
	}
	clear(n.gradient)
}

// dense returns the net as models carry it, where its log odds count share times.
func (n *net) dense(share, length float64) *linear.Dense {
	d := &linear.Dense{}
	for f := range n.filters {
		kernel := make([]float64, netRow)
		for i, w := range n.weights[f*netRow : (f+1)*netRow] {
			kernel[i] = float64(w)
		}
		steps, size := quantise(kernel)
		d.Filters = append(d.Filters, linear.Filter{Kernel: steps, Step: float32(size), Bias: n.biases(n.weights)[f]})
	}
	for k := range n.classes {
		out := make([]float32, 2*n.filters+1)
		addTimes(out, n.out(n.weights, k), float32(share))
		d.Classes = append(d.Classes, linear.DenseClass{
			Highest: out[:n.filters], Mean: out[n.filters : 2*n.filters], Bias: out[2*n.filters], Length: float32(length),
		})
	}
	return d
}
