// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators/linear"
)

func sequenceOf(text string) []int32 {
	return linear.NewVectoriser(8, 0).Parts(text)[0].Sequence
}

// The slopes that a net learns from must be those by which its log odds change.
func TestANetKnowsItsSlopes(t *testing.T) {
	t.Parallel()
	n := newNet(4, 2, rand.New(rand.NewPCG(1, 1)))
	sequence := sequenceOf("nobody sold the blue umbrella, whatever they say")
	value := func() float64 {
		odds := n.read(sequence, nil)
		return float64(odds[0]) - 2*float64(odds[1])
	}
	value()
	n.learn([]float32{1, -2})
	checked := 0
	for i := 0; i < len(n.weights); i += 7 {
		const small = 1e-2
		kept := n.weights[i]
		n.weights[i] = kept + small
		up := value()
		n.weights[i] = kept - small
		slope := (up - value()) / (2 * small)
		n.weights[i] = kept
		require.InDelta(t, slope, n.gradient[i], 0.05+0.1*math.Abs(slope), "weight %d", i)
		if math.Abs(slope) > 0.1 {
			checked++
		}
	}
	require.Greater(t, checked, 20)
}

// What a net and a model say must be the same, but for the steps of the latter.
func TestAModelSaysWhatItsNetSays(t *testing.T) {
	t.Parallel()
	n := newNet(8, 1, rand.New(rand.NewPCG(2, 2)))
	m, err := linear.New(8, []linear.Class{{Label: "a", Scale: 1, Bias: 0.25}}, make([]int8, 256))
	require.NoError(t, err)
	require.NoError(t, m.Weigh(n.dense(0.5, 0.125)))
	for _, text := range []string{"the baker sold the blue umbrella", "whoever says so lies", "umbrella"} {
		sequence := sequenceOf(text)
		want := 0.25 + 0.5*float64(n.read(sequence, nil)[0]) + 0.125*float64(linear.LengthOf(sequence))
		require.InDelta(t, want, m.Odds(text), 0.05, text)
	}
}

// taught is a set of texts whose class shows in words that are alike in meaning.
func taught() []example {
	var made []example
	for i := range 120 {
		good, bad := []string{"delighted", "happy", "glad"}[i%3], []string{"furious", "angry", "outraged"}[i%3]
		about := []string{"the delivery", "this umbrella", "our garden", "the answer"}[i%4]
		made = append(made,
			example{text: fmt.Sprintf("I am %s about %s today", bad, about), class: 0, cost: 1},
			example{text: fmt.Sprintf("I am %s about %s today", good, about), class: none, cost: 1})
	}
	for i := range made {
		if i%10 < 2 {
			made[i].tune = 1
		}
	}
	return made
}

func TestWordsThatWereNeverMetCountByTheirMeaning(t *testing.T) {
	t.Parallel()
	r := recipe{bits: 12, labels: []string{"anger"}, cost: 4, meaning: &meaning{filters: 8, passes: 30, lean: 0.7}}
	m, err := r.train(taught())
	require.NoError(t, err)
	require.Greater(t, m.Odds("I am enraged about the weather today"), m.Odds("I am thrilled about the weather today")+0.5)

	r = recipe{bits: 12, labels: []string{"anger", "joy"}, cost: 4, meaning: &meaning{filters: 8, passes: 30}}
	examples := taught()
	for i := range examples {
		if examples[i].class == none {
			examples[i].class = 1
		}
	}
	m, err = r.train(examples)
	require.NoError(t, err)
	for text, want := range map[string]string{"I am enraged about the weather today": "anger", "I am thrilled about the weather today": "joy"} {
		label, _, ok := m.Best(text)
		require.True(t, ok)
		require.Equal(t, want, label, text)
	}
}

// The share of each half must be where the gradient of the cost is nothing.
func TestHalvesAreBlended(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 5))
	var examples []example
	texts := map[int][]blended{}
	for i := range 4000 {
		b := blended{simple: []float64{random.NormFloat64()}, dense: []float64{random.NormFloat64()}, length: random.NormFloat64()}
		odds := 0.5*b.simple[0] + 2*b.dense[0] - 1 + 0.25*b.length
		e := example{class: none, tune: 1}
		if random.Float64() < 1/(1+math.Exp(-odds)) {
			e.class = 0
		}
		examples, texts[i] = append(examples, e), []blended{b}
	}
	found := blendOdds(texts, examples)
	for i, want := range []float64{0.5, 2, -1, 0.25} {
		require.InDelta(t, want, found[i], 0.15)
	}
	x := solve([][]float64{{2, 1, 0, 0}, {1, 3, 0, 0}, {0, 0, 1, 0.5}, {0, 0, 0.5, 2}}, []float64{4, 7, 2, 4.5})
	for i, want := range []float64{1, 2, 1, 2} {
		require.InDelta(t, want, x[i], 1e-9)
	}
}
