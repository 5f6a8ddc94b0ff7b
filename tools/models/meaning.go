// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/evaluators/linear"
)

// meaning says how a net of words' vectors is trained in addition to simple weights.
type meaning struct {
	filters, passes int
	// lean is how much of the log odds of simple weights the net is given while it is
	// trained, so that it learns what they do not know; 0: it learns by itself.
	lean float64
}

// foldsOf is the number of parts of the examples: the log odds that the net is given for
// one are of weights that were fitted to the others.
const foldsOf = 4

// surelyGiven bounds the log odds that the net is given: what is plain it is to know by
// itself too.
const surelyGiven = 1.5

// blended is what the two halves of a model say of a passage.
type blended struct {
	simple, dense []float64 // by class
	length        float64
}

// weighMeanings trains a net to the samples and returns it, with the factor and the
// addend that the log odds of simple weights take then.
func (r recipe) weighMeanings(t training, weights [][]float64, examples []example) (dense *linear.Dense, factor, addend float64, err error) {
	given, err := r.given(t)
	if err != nil {
		return nil, 0, 0, err
	}
	n := r.fitNet(t, given)
	texts := r.blendedTexts(n, weights, examples)
	if len(r.labels) > 1 {
		share := [2]float64{1, 1}
		share[0], share[1] = blendClasses(texts, examples)
		return n.dense(share[1], 0), share[0], 0, nil
	}
	b := blendOdds(texts, examples)
	return n.dense(b[1], b[3]), b[0], b[2], nil
}

// given returns by sample the log odds that the net is given.
func (r recipe) given(t training) ([]float64, error) {
	if r.meaning.lean == 0 {
		return make([]float64, len(t.samples)), nil
	}
	odds, err := r.unseen(t)
	for i, o := range odds {
		odds[i] = min(surelyGiven, max(-surelyGiven, r.meaning.lean*o))
	}
	return odds, err
}

// unseen returns by sample the log odds that weights give that were not fitted to it.
func (r recipe) unseen(t training) ([]float64, error) {
	odds := make([]float64, len(t.samples))
	for fold := range foldsOf {
		var samples []sample
		var classes []int
		for i, s := range t.samples {
			if t.examples[i]%foldsOf != fold {
				samples, classes = append(samples, s), append(classes, t.classes[i])
			}
		}
		w, err := r.fit(samples, classes, 0)
		if err != nil {
			return nil, err
		}
		for i, s := range t.samples {
			if t.examples[i]%foldsOf == fold {
				odds[i] = weigh(w, s.features)
			}
		}
	}
	return odds, nil
}

// weigh returns the log odds that weights give to features.
func weigh(w []float64, features []linear.Feature) float64 {
	odds := w[len(w)-1]
	for _, f := range features {
		odds += float64(w[f.Index] * f.Value)
	}
	return odds
}

// fitNet trains a net. A text of the class that has several passages has it somewhere:
// the passage that looks most like it counts.
func (r recipe) fitNet(t training, given []float64) *net {
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // the same order every time is the point
	n := newNet(r.meaning.filters, len(r.labels), random)
	raised := r.raised(t)
	texts := t.familiar()
	slopes := make([]float32, len(r.labels))
	total, done := float64(r.meaning.passes*len(texts)), 0.0
	for range r.meaning.passes {
		random.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
		for number, text := range texts {
			done++
			if len(r.labels) == 1 && len(text) > 1 && t.classes[text[0]] != none {
				text = []int{n.likeliest(t, text)}
			}
			for _, i := range text {
				odds := n.read(t.samples[i].sequence, random)
				r.slopes(slopes, odds, given[i], t.classes[i])
				cost := float32(t.samples[i].cost / r.cost / netBatch * raised[t.classes[i]-none])
				for k := range slopes {
					slopes[k] *= cost
				}
				n.learn(slopes)
			}
			if (number+1)%netBatch == 0 {
				n.move(netRate * (1.02 - done/total))
			}
		}
	}
	return n
}

// familiar returns the samples of each example that have words of the table of vectors.
func (t training) familiar() (texts [][]int) {
	for i := range t.samples {
		if i == 0 || t.examples[i] != t.examples[i-1] {
			texts = append(texts, nil)
		}
		if linear.Familiar(t.samples[i].sequence) > 0 {
			texts[len(texts)-1] = append(texts[len(texts)-1], i)
		}
	}
	return texts
}

// likeliest returns the sample among those of a text that looks most like the class.
func (n *net) likeliest(t training, text []int) int {
	return slices.MaxFunc(text, func(a, b int) int {
		if n.read(t.samples[a].sequence, nil)[0] > n.read(t.samples[b].sequence, nil)[0] {
			return 1
		}
		return -1
	})
}

// raised returns by class, from none on, how much more its samples cost.
func (r recipe) raised(t training) []float64 {
	masses, total := make([]float64, len(r.labels)+1), 0.0
	for i, s := range t.samples {
		masses[t.classes[i]-none] += s.cost
		total += s.cost
	}
	for k, mass := range masses {
		switch {
		case mass == 0:
		case len(r.labels) > 1:
			masses[k] = math.Sqrt(total / float64(len(r.labels)) / mass)
		case k == 0:
			masses[k] = 1
		default:
			masses[k] = 1 + r.balance*((total-mass)/mass-1)
		}
	}
	return masses
}

// slopes sets how the cost changes with the log odds of each class, where those of the
// class are right.
func (r recipe) slopes(slopes, odds []float32, given float64, class int) {
	if len(odds) == 1 {
		slopes[0] = float32(1 / (1 + math.Exp(-float64(odds[0])-given)))
		if class == 0 {
			slopes[0]--
		}
		return
	}
	highest, sum := slices.Max(odds), float32(0)
	for k, o := range odds {
		slopes[k] = float32(math.Exp(float64(o - highest)))
		sum += slopes[k]
	}
	for k := range slopes {
		slopes[k] /= sum
		if k == class {
			slopes[k]--
		}
	}
}

// blendedTexts returns what both halves say of the passages of the examples that models
// are calibrated with, by example.
func (r recipe) blendedTexts(n *net, weights [][]float64, examples []example) map[int][]blended {
	vectoriser := linear.NewVectoriser(r.bits, r.passage)
	texts := map[int][]blended{}
	for i, e := range examples {
		if e.tune == 0 {
			continue
		}
		for _, p := range vectoriser.Parts(e.text) {
			familiar := linear.Familiar(p.Sequence)
			b := blended{length: float64(linear.LengthOf(p.Sequence) * familiar)}
			for k, o := range n.read(p.Sequence, nil) {
				b.simple = append(b.simple, weigh(weights[k], p.Features))
				b.dense = append(b.dense, float64(o*familiar))
			}
			texts[i] = append(texts[i], b)
		}
	}
	return texts
}

// blendOdds finds how much the log odds of simple weights, those of the net, an addend and
// the length count together, by logistic regression on the likeliest passage of each text.
func blendOdds(texts map[int][]blended, examples []example) [4]float64 {
	found := [4]float64{0.6, 0.3, 0, 0}
	for range 10 {
		hessian, gradient := make([][]float64, len(found)), make([]float64, len(found))
		for i := range hessian {
			hessian[i] = make([]float64, len(found))
			hessian[i][i] = 1e-3
		}
		for i, e := range examples {
			highest, x := math.Inf(-1), [4]float64{}
			for _, b := range texts[i] {
				terms := [4]float64{b.simple[0], b.dense[0], 1, b.length}
				sum := 0.0
				for q, v := range terms {
					sum += found[q] * v
				}
				if sum > highest {
					highest, x = sum, terms
				}
			}
			if math.IsInf(highest, 0) {
				continue
			}
			p := 1 / (1 + math.Exp(-highest))
			miss := p
			if e.class == 0 {
				miss--
			}
			for q := range x {
				gradient[q] += e.tune * miss * x[q]
				for s := range x {
					hessian[q][s] += e.tune * (p*(1-p) + 1e-6) * x[q] * x[s]
				}
			}
		}
		step := solve(hessian, gradient)
		for q := range found {
			found[q] -= step[q]
		}
	}
	return found
}

// solve returns x of a x = b, for a matrix of which no pivot is nothing. Both are
// overwritten.
func solve(a [][]float64, b []float64) []float64 {
	for i := range a {
		for j := range a {
			if i == j {
				continue
			}
			factor := a[j][i] / a[i][i]
			for k := range a {
				a[j][k] -= factor * a[i][k]
			}
			b[j] -= factor * b[i]
		}
	}
	for i := range b {
		b[i] /= a[i][i]
	}
	return b
}

// blendClasses finds how much the log odds of simple weights and those of the net count
// where the likeliest of several classes is asked for: where the right ones are likeliest.
func blendClasses(texts map[int][]blended, examples []example) (simple, dense float64) {
	least := math.Inf(1)
	for a := 0.4; a < 1.65; a += 0.1 {
		for b := 0.0; b < 1.55; b += 0.1 {
			cost := 0.0
			for i, e := range examples {
				if len(texts[i]) == 0 || e.class == none {
					continue
				}
				cost += e.tune * surprise(texts[i], a, b, e.class)
			}
			if cost < least {
				least, simple, dense = cost, a, b
			}
		}
	}
	return simple, dense
}

// surprise is the logarithm of how unlikely a class of a text is taken to be.
func surprise(passages []blended, simple, dense float64, class int) float64 {
	odds := make([]float64, len(passages[0].simple))
	for _, p := range passages {
		for k := range odds {
			odds[k] += (simple*p.simple[k] + dense*p.dense[k]) / float64(len(passages))
		}
	}
	highest, sum := slices.Max(odds), 0.0
	for _, o := range odds {
		sum += math.Exp(o - highest)
	}
	return math.Log(sum) + highest - odds[class]
}
