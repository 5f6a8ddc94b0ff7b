// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"fmt"
	"math"
	"sync"
)

// maxBits is the largest size of a model: 2^maxBits features.
const maxBits = 20

// Model weighs the features of a text for one or more classes.
type Model struct {
	bits    uint8
	passage int
	classes []Class
	// weights has the weights of all classes for a feature side by side.
	weights []int8
	// dense weighs meanings in addition to words; nil does not.
	dense *Dense
	// curve turns log odds into those that hold; none leaves them.
	curve    []Knot
	counters sync.Pool
}

// Class is one answer that a model knows.
type Class struct {
	Label string
	// Scale and Bias make log odds of a sum of weights.
	Scale, Bias float32
}

// New makes a model of 2^bits features. weights has, feature by feature, the
// weights for all classes.
func New(bits uint8, classes []Class, weights []int8) (*Model, error) {
	m := &Model{bits: bits, passage: Passage, classes: classes, weights: weights}
	if err := m.check(); err != nil {
		return nil, err
	}
	m.counters.New = func() any {
		s := &scorer{counter: newCounter(bits, m.passage), sums: make([]int64, len(classes)), odds: make([]float64, len(classes))}
		s.counter.dense = m.dense != nil
		return s
	}
	return m, nil
}

// the bounds of the length of passages.
const (
	minPassage = 64
	maxPassage = 1 << 15
)

// Split sets the length in bytes up to which the model judges a text as one,
// 64 to 32,768. It is to be called before the model is used.
func (m *Model) Split(passage int) error {
	if passage < minPassage || passage > maxPassage {
		return fmt.Errorf("passages of %d bytes", passage)
	}
	m.passage = passage
	return nil
}

// Classes returns what the model knows to tell apart. The slice is not to be
// changed.
func (m *Model) Classes() []Class { return m.classes }

// scorer is what one call needs; calls take turns with it.
type scorer struct {
	counter *counter
	sums    []int64
	odds    []float64
	reader  reader
}

// score turns the counted features of a passage into log odds by class.
func (s *scorer) score(m *Model) {
	clear(s.sums)
	length := int64(0)
	n := len(m.classes)
	for _, i := range s.counter.touched {
		v := damped[s.counter.counts[i]]
		length += v * v
		if n == 1 {
			s.sums[0] += v * int64(m.weights[i])
			continue
		}
		row := m.weights[int(i)*n : int(i)*n+n]
		sums := s.sums[:len(row)]
		for k, w := range row {
			sums[k] += v * int64(w)
		}
	}
	root := math.Sqrt(float64(length))
	for k, c := range m.classes {
		s.odds[k] = float64(float64(c.Scale)*float64(s.sums[k]))/root + float64(c.Bias)
	}
	if m.dense != nil {
		m.dense.read(&s.reader, s.counter.sequence, s.odds)
	}
}

// Probability returns how likely the text is of the model's class, 0 to 1: the
// highest of its passages. A text without words is 0.
func (m *Model) Probability(text string) float64 {
	return m.probability(m.Odds(text))
}

// probability returns what the curve makes of log odds that the weights give.
func (m *Model) probability(odds float64) float64 { return 1 / (1 + math.Exp(-m.calibrated(odds))) }

// Odds returns the log odds of the text as the weights give them, before the
// curve: what a curve is made from. A text without words is -Inf.
func (m *Model) Odds(text string) float64 {
	highest, _ := m.highest(text)
	return highest
}

// highest returns the highest log odds of the passages of a text, and how many there are.
func (m *Model) highest(text string) (odds float64, passages int) {
	s, _ := m.counters.Get().(*scorer)
	defer m.counters.Put(s)
	odds = math.Inf(-1)
	s.counter.passages(text, func() {
		s.score(m)
		odds = max(odds, s.odds[0])
		passages++
	})
	return odds, passages
}

// Sentence returns how likely some sentence of the text is of the model's class, 0
// to 1, with those behind it up to about a length in bytes: what stands alone in a
// long good text and is lost in its passage. It is higher than Probability of most
// texts, the highest of many that it is.
func (m *Model) Sentence(text string, length int) float64 {
	s, _ := m.counters.Get().(*scorer)
	defer m.counters.Put(s)
	highest := math.Inf(-1)
	s.counter.sentences(text, length, func() {
		s.score(m)
		highest = max(highest, s.odds[0])
	})
	return m.probability(highest)
}

// Best returns the likeliest class of the whole text and its probability among
// all classes, where a passage counts by its length. Of two classes alike it
// gives the first. A text without words has none.
func (m *Model) Best(text string) (label string, probability float64, ok bool) {
	s, _ := m.counters.Get().(*scorer)
	defer m.counters.Put(s)
	total, weight := make([]float64, len(m.classes)), 0.0
	s.counter.passages(text, func() {
		s.score(m)
		size := float64(len(s.counter.touched))
		weight += size
		for k, o := range s.odds {
			total[k] += size * o
		}
	})
	if weight == 0 {
		return "", 0, false
	}
	best := 0
	for k := range total {
		total[k] /= weight
		if total[k] > total[best] {
			best = k
		}
	}
	sum := 0.0
	for _, o := range total {
		sum += math.Exp(o - total[best])
	}
	// Of the odds of one class against the rest, 1/sum to 1-1/sum.
	odds := -math.Log(max(sum-1, math.SmallestNonzeroFloat64))
	return m.classes[best].Label, m.probability(odds), true
}
