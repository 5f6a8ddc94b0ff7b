// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/linear"
	"github.com/touchstone-otel/touchstone/internal/evaluators/wordvectors"
)

// topics says how the subject of a text is weighed in addition to simple weights: how near its
// nearest word is to each of some topics, how near its words are to it together, and the
// mean of their vectors. The weights of simple features stay as they are.
type topics struct {
	// source has a topic in each line: words that are typical of it.
	source string
	// pull and pullMean pull the weights of topics and those of the mean to nothing.
	pull, pullMean float64
}

// topicBegins is the cosine to the middle of a topic from which a word counts.
const topicBegins = 0.35

// directionLength is that of vectors as filters take them.
const directionLength = 4

// filters returns a filter for each topic, which looks at one word alone.
func (t *topics) filters() ([]linear.Filter, error) {
	var made []linear.Filter
	for line := range strings.Lines(t.source) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		var middle [wordvectors.Dimensions]float64
		square := 0.0
		for word := range strings.FieldsSeq(line) {
			v, ok := wordvectors.Of(word)
			if !ok {
				return nil, fmt.Errorf("the word %q of a topic has no vector", word)
			}
			for i := range middle {
				middle[i] += float64(v.At(i) / v.Norm())
			}
		}
		for _, v := range middle {
			square += v * v
		}
		made = append(made, wordFilter(middle[:], 1/math.Sqrt(square), -directionLength*topicBegins))
	}
	return made, nil
}

// wordFilter makes a filter that looks at one word.
func wordFilter(direction []float64, factor, bias float64) linear.Filter {
	kernel := make([]float64, netRow)
	from := linear.Width / 2 * wordvectors.Dimensions
	word := kernel[from : from+wordvectors.Dimensions]
	for i := range word {
		word[i] = direction[i] * factor
	}
	steps, size := quantise(kernel)
	return linear.Filter{Kernel: steps, Step: float32(size), Bias: float32(bias)}
}

// The inputs of a passage are 1, its length, for each filter the highest answer, for
// each the mean, and the mean of the vectors.
const topicInputs = 2

// topicReader gives inputs of passages.
type topicReader struct {
	filters []linear.Filter
	words   map[int32]*topicWord
}

type topicWord struct {
	direction [wordvectors.Dimensions]float32
	answers   []float32
}

func (r *topicReader) size() int { return topicInputs + 2*len(r.filters) + wordvectors.Dimensions }

// word returns what is known of the word at a place of the table.
func (r *topicReader) word(place int32) *topicWord {
	if known, ok := r.words[place]; ok {
		return known
	}
	made := &topicWord{}
	linear.Direction(int(place), &made.direction)
	for _, f := range r.filters {
		sum := float32(0)
		for i, v := range made.direction {
			sum += v * float32(f.Kernel[linear.Width/2*wordvectors.Dimensions+i])
		}
		made.answers = append(made.answers, max(0, sum*f.Step+f.Bias))
	}
	r.words[place] = made
	return made
}

// read returns the inputs of a passage.
func (r *topicReader) read(sequence []int32) []float32 {
	n := len(r.filters)
	inputs := make([]float32, r.size())
	highest, means, direction := inputs[topicInputs:topicInputs+n], inputs[topicInputs+n:topicInputs+2*n], inputs[topicInputs+2*n:]
	inputs[0], inputs[1] = 1, linear.LengthOf(sequence)
	for _, place := range sequence {
		if place < 0 {
			continue
		}
		word := r.word(place)
		for i, v := range word.answers {
			highest[i] = max(highest[i], v)
			means[i] += v
		}
		addTimes(direction, word.direction[:], 1)
	}
	for i := range means {
		means[i] = linear.MeanOf(means[i], len(sequence))
	}
	for i := range direction {
		direction[i] = linear.MeanOf(direction[i], len(sequence))
	}
	familiar := linear.Familiar(sequence)
	for i := range inputs[1:] {
		inputs[1+i] *= familiar
	}
	return inputs
}

// weighTopics finds what topics add to the log odds that simple weights give, by those
// of weights that were not fitted to the example, and what is added whatever the topics.
func (r recipe) weighTopics(t training, examples []example) (dense *linear.Dense, addend float64, err error) {
	filters, err := r.topics.filters()
	if err != nil {
		return nil, 0, err
	}
	given, err := r.unseen(t)
	if err != nil {
		return nil, 0, err
	}
	reader := &topicReader{filters: filters, words: map[int32]*topicWord{}}
	var observed []observation
	for i, s := range t.likeliest(given) {
		if !s {
			continue
		}
		o := observation{inputs: reader.read(t.samples[i].sequence), given: given[i], positive: t.classes[i] == 0, cost: t.samples[i].cost / r.cost}
		if more := examples[t.examples[i]].topical; more != 0 {
			o.cost *= more
		}
		observed = append(observed, o)
	}
	pull := make([]float64, reader.size())
	for i := range pull {
		switch {
		case i < topicInputs:
			pull[i] = 0.01
		case i < topicInputs+2*len(filters):
			pull[i] = r.topics.pull
		default:
			pull[i] = r.topics.pullMean
		}
	}
	weights := addedOdds(observed, pull)
	return reader.dense(weights), weights[0], nil
}

// likeliest reports by sample whether it is to be learned from: of a text of the class
// that has several passages the one that looks most like it, of others all.
func (t training) likeliest(odds []float64) []bool {
	best := map[int]int{} // by example: its sample with the highest odds
	for i, n := range t.examples {
		if b, ok := best[n]; !ok || odds[i] > odds[b] {
			best[n] = i
		}
	}
	kept := make([]bool, len(t.samples))
	for i, n := range t.examples {
		kept[i] = t.classes[i] == none || best[n] == i
	}
	return kept
}

// dense returns weights of inputs as models carry them. The mean of vectors is weighed by
// two filters, one for what is along its weights and one for what is against them.
func (r *topicReader) dense(weights []float64) *linear.Dense {
	n := len(r.filters)
	class := linear.DenseClass{Length: float32(weights[1])}
	for i := range n {
		class.Highest = append(class.Highest, float32(weights[topicInputs+i]))
		class.Mean = append(class.Mean, float32(weights[topicInputs+n+i]))
	}
	made := &linear.Dense{Filters: append([]linear.Filter(nil), r.filters...)}
	for _, sign := range []float64{1, -1} {
		made.Filters = append(made.Filters, wordFilter(weights[topicInputs+2*n:], sign, 0))
		class.Highest, class.Mean = append(class.Highest, 0), append(class.Mean, float32(sign))
	}
	made.Classes = []linear.DenseClass{class}
	return made
}

// observation is a passage to learn from: its inputs, and the log odds that it has
// without them.
type observation struct {
	inputs   []float32
	given    float64
	positive bool
	cost     float64
}

// addedOdds finds the weights of inputs that minimise
//
//	½ Σ pull w² + Σ cost · ln(1 + exp(-y (given + w·x)))
//
// by Newton's method.
func addedOdds(observed []observation, pull []float64) []float64 {
	const rounds, small = 8, 1e-3
	n := len(pull)
	weights := make([]float64, n)
	for range rounds {
		hessian, gradient := make([][]float64, n), make([]float64, n)
		for i := range hessian {
			hessian[i] = make([]float64, n)
			hessian[i][i] = pull[i]
			gradient[i] = pull[i] * weights[i]
		}
		for _, o := range observed {
			odds := o.given
			for i, v := range o.inputs {
				odds += weights[i] * float64(v)
			}
			p := 1 / (1 + math.Exp(-odds))
			miss, curve := o.cost*p, o.cost*max(p*(1-p), 1e-4)
			if o.positive {
				miss -= o.cost
			}
			for i, v := range o.inputs {
				if v == 0 {
					continue
				}
				gradient[i] += miss * float64(v)
				share, row := curve*float64(v), hessian[i][:i+1]
				for j, u := range o.inputs[:i+1] {
					row[j] += share * float64(u)
				}
			}
		}
		for i := range hessian {
			for j := range i {
				hessian[j][i] = hessian[i][j]
			}
		}
		largest := 0.0
		for i, step := range solve(hessian, gradient) {
			weights[i] -= step
			largest = max(largest, math.Abs(step))
		}
		if largest < small {
			break
		}
	}
	return weights
}
