// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators/linear"
)

const moods = "# What people feel.\nfurious angry outraged\n\ndelighted happy glad\n"

func TestWordsThatWereNeverMetCountByTheirTopic(t *testing.T) {
	t.Parallel()
	r := recipe{bits: 12, labels: []string{"anger"}, cost: 0.02, topics: &topics{source: moods, pull: 0.1, pullMean: 1}}
	m, err := r.train(taught())
	require.NoError(t, err)
	gap := func(m *linear.Model) float64 {
		return m.Odds("I am enraged about the weather today") - m.Odds("I am thrilled about the weather today")
	}
	r.topics = nil
	plain, err := r.train(taught())
	require.NoError(t, err)
	require.Greater(t, gap(m), gap(plain)+0.5)
	one, other := "wzburzony zdenerwowany oburzony", "zachwycony szczęśliwy i spokojny"
	require.InDelta(t, plain.Odds(one)-plain.Odds(other), m.Odds(one)-m.Odds(other), 0.01, "other languages have no topics")
}

// What the inputs of a passage are weighed to and what a model says must be the same, but
// for the steps of the latter.
func TestAModelSaysWhatItsTopicsSay(t *testing.T) {
	t.Parallel()
	filters, err := (&topics{source: moods}).filters()
	require.NoError(t, err)
	require.Len(t, filters, 2)
	reader := &topicReader{filters: filters, words: map[int32]*topicWord{}}
	random := rand.New(rand.NewPCG(4, 4))
	weights := make([]float64, reader.size())
	for i := range weights[1:] {
		weights[1+i] = random.NormFloat64() / 4
	}
	m, err := linear.New(8, []linear.Class{{Label: "a", Scale: 1, Bias: 0.25}}, make([]int8, 256))
	require.NoError(t, err)
	require.NoError(t, m.Weigh(reader.dense(weights)))
	for _, text := range []string{"the angry baker was glad, and sold the blue umbrella", "whoever says so is furious", "umbrella", "happy happy happy"} {
		want := 0.25
		for i, v := range reader.read(sequenceOf(text)) {
			want += weights[i] * float64(v)
		}
		require.InDelta(t, want, m.Odds(text), 0.05, text)
	}
}

func TestAnswersOfTopics(t *testing.T) {
	t.Parallel()
	filters, err := (&topics{source: moods}).filters()
	require.NoError(t, err)
	reader := &topicReader{filters: filters, words: map[int32]*topicWord{}}
	highest := func(text string) []float32 { return reader.read(sequenceOf(text))[topicInputs : topicInputs+2] }
	enraged, thrilled, umbrella := highest("they were enraged"), highest("they were thrilled"), highest("umbrella")
	require.Greater(t, enraged[0], enraged[1])
	require.Greater(t, thrilled[1], thrilled[0])
	require.Equal(t, []float32{0, 0}, umbrella)
	_, err = (&topics{source: "angry zzyzxq"}).filters()
	require.ErrorContains(t, err, `"zzyzxq"`)
	_, err = (&topics{source: topicsOfAbuse}).filters()
	require.NoError(t, err)
}

// The weights must be where the gradient of the cost is nothing.
func TestAddedOddsFindTheMinimum(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(6, 6))
	var observed []observation
	for range 500 {
		o := observation{inputs: []float32{1, float32(random.NormFloat64()), 0}, given: random.NormFloat64(), cost: random.Float64()}
		if random.IntN(3) == 0 {
			o.inputs[2] = 1
		}
		odds := o.given + 0.5 - float64(o.inputs[1]) + 2*float64(o.inputs[2])
		o.positive = random.Float64() < 1/(1+math.Exp(-odds))
		observed = append(observed, o)
	}
	pull := []float64{0.01, 1, 2}
	weights := addedOdds(observed, pull)
	for i, p := range pull {
		gradient := p * weights[i]
		for _, o := range observed {
			odds := o.given
			for k, v := range o.inputs {
				odds += weights[k] * float64(v)
			}
			miss := 1 / (1 + math.Exp(-odds))
			if o.positive {
				miss--
			}
			gradient += o.cost * miss * float64(o.inputs[i])
		}
		require.InDelta(t, 0, gradient, 0.01, "input %d", i)
	}
	require.InDelta(t, -1, weights[1], 0.3)
}

// An example that weighs more where topics are weighed moves what topics say.
func TestTopicalExamplesWeighMore(t *testing.T) {
	t.Parallel()
	r := recipe{bits: 12, labels: []string{"anger"}, cost: 0.02, topics: &topics{source: moods, pull: 0.1, pullMean: 1}}
	odds := func(topical float64) float64 {
		examples := taught()
		for i := range examples {
			if examples[i].class == 0 {
				examples[i].topical = topical
			}
		}
		m, err := r.train(examples)
		require.NoError(t, err)
		return m.Odds("I am enraged about the weather today")
	}
	require.Greater(t, odds(5), odds(0)+0.2)
	require.InDelta(t, odds(1), odds(0), 0)
}
