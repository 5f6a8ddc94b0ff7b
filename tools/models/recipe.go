// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/touchstone-otel/touchstone/internal/evaluators/linear"
	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

// recipe says how a model is trained.
type recipe struct {
	bits   uint8
	labels []string // of the classes; one: the class against the rest
	// passage is the length of what is judged as one, 0 for the usual one.
	passage int
	// cost is how much a mistake weighs against simple weights.
	cost float64
	// choose leaves out, after a first training, the passages of a long text of
	// the class that do not look like it: the text has it somewhere.
	choose bool
	// balance raises the cost of missing a rare class: 0 not at all, 1 until
	// classes weigh the same.
	balance float64
	// point is the share of texts of the class from which verdicts are best,
	// which is given as a probability of 0.5; 0 is 0.5.
	point float64
	// meaning has a net of words' vectors trained in addition to simple weights; nil has none.
	meaning *meaning
	// topics are weighed in addition to simple weights, of models of one class without a net.
	topics *topics
	// alone says that texts of one passage are treated differently (linear.Model.OddsAlone).
	alone    bool
	examples func(data string) ([]example, error)
}

// example is a text and the class it belongs to, an index of the labels or
// none.
type example struct {
	text  string
	class int
	// cost is the weight of the example; 0 is 1.
	cost float64
	// tune is the weight that the example has in the calibration; weights are
	// not fitted to it then. 0 is the other way round.
	tune float64
	// topical is how much more the example weighs where topics are weighed; 0 is 1.
	topical float64
}

const none = -1

// from makes examples of rows; class gives the class of a label.
func from(rows []dataset.Row, cost float64, class func(label string) int) []example {
	made := make([]example, len(rows))
	for i, r := range rows {
		made[i] = example{text: r.Text, class: class(r.Label), cost: cost}
	}
	return made
}

// tuned makes examples of rows for training, one in ten of them to calibrate
// with. The weights of the two are cost and share.
func tuned(rows []dataset.Row, cost, share float64, class func(label string) int) []example {
	fitting, tuning := dataset.Tune(rows)
	made := from(fitting, cost, class)
	for _, e := range from(tuning, cost, class) {
		e.tune = share
		made = append(made, e)
	}
	return made
}

// as returns every label the same class.
func as(class int) func(string) int { return func(string) int { return class } }

// among returns the first class to the labels that are listed and none to others.
func among(labels ...string) func(string) int {
	return func(label string) int {
		for _, l := range labels {
			if l == label {
				return 0
			}
		}
		return none
	}
}

func trainer(r recipe) func(data string) ([]byte, error) {
	return func(data string) ([]byte, error) {
		examples, err := r.examples(data)
		if err != nil {
			return nil, err
		}
		m, err := r.train(examples)
		if err != nil {
			return nil, err
		}
		return m.Encode(), nil
	}
}

// train makes a model of examples.
func (r recipe) train(examples []example) (*linear.Model, error) {
	t := r.vectors(examples)
	if len(t.samples) == 0 {
		return nil, errors.New("no examples")
	}
	if r.choose {
		w, err := r.fit(t.samples, t.classes, 0)
		if err != nil {
			return nil, err
		}
		t = t.chosen(w)
	}
	samples, classes := t.samples, t.classes
	known := make([]linear.Class, len(r.labels))
	weights := make([]int8, len(r.labels)<<r.bits)
	fitted := make([][]float64, len(r.labels))
	for k, label := range r.labels {
		w, err := r.fit(samples, classes, k)
		if err != nil {
			return nil, fmt.Errorf("class %s: %w", label, err)
		}
		fitted[k] = w
		steps, size := quantise(w[:1<<r.bits])
		for i, s := range steps {
			weights[i*len(r.labels)+k] = s
		}
		known[k] = linear.Class{Label: label, Scale: float32(size), Bias: float32(w[1<<r.bits])}
	}
	var dense *linear.Dense
	if r.topics != nil {
		d, addend, err := r.weighTopics(t, examples)
		if err != nil {
			return nil, err
		}
		dense = d
		known[0].Bias += float32(addend)
	}
	if r.meaning != nil {
		d, factor, addend, err := r.weighMeanings(t, fitted, examples)
		if err != nil {
			return nil, err
		}
		dense = d
		for k := range known {
			known[k].Scale *= float32(factor)
			known[k].Bias = known[k].Bias*float32(factor) + float32(addend)
		}
	}
	m, err := linear.New(r.bits, known, weights)
	if err != nil {
		return nil, err
	}
	if dense != nil {
		if err := m.Weigh(dense); err != nil {
			return nil, err
		}
	}
	if r.passage != 0 {
		if err := m.Split(r.passage); err != nil {
			return nil, err
		}
	}
	return m, r.calibrate(m, examples)
}

// training has what weights are fitted to: the passages of examples.
type training struct {
	samples  []sample
	classes  []int
	examples []int // by sample: which example it is of
}

// vectors returns the passages of the examples that weights are fitted to.
func (r recipe) vectors(examples []example) training {
	vectoriser := linear.NewVectoriser(r.bits, r.passage)
	var t training
	for n, e := range examples {
		if e.tune != 0 {
			continue
		}
		cost := r.cost
		if e.cost != 0 {
			cost *= e.cost
		}
		parts := vectoriser.Parts(e.text)
		if len(parts) > 1 && linear.Overlap(r.passage) {
			cost /= 2 // each sentence is in about two passages
		}
		for _, p := range parts {
			t.samples = append(t.samples, sample{features: p.Features, sequence: p.Sequence, cost: cost})
			t.classes = append(t.classes, e.class)
			t.examples = append(t.examples, n)
		}
	}
	return t
}

// chosen leaves out the passages of examples of the class that weights do not
// find to be of it, but for the one that looks most like it.
func (t training) chosen(w []float64) training {
	odds := make([]float64, len(t.samples))
	best := map[int]int{} // by example: its sample with the highest odds
	for i, s := range t.samples {
		odds[i] = weigh(w, s.features)
		if b, ok := best[t.examples[i]]; !ok || odds[i] > odds[b] {
			best[t.examples[i]] = i
		}
	}
	var kept training
	for i, s := range t.samples {
		if t.classes[i] == none || odds[i] > 0 || best[t.examples[i]] == i {
			kept.samples = append(kept.samples, s)
			kept.classes = append(kept.classes, t.classes[i])
			kept.examples = append(kept.examples, t.examples[i])
		}
	}
	return kept
}

// calibrate returns the model a curve by the examples that are kept for it, if
// there are any.
func (r recipe) calibrate(m *linear.Model, examples []example) error {
	var texts []scored
	for _, e := range examples {
		if e.tune == 0 {
			continue
		}
		s := scored{weight: e.tune}
		if len(r.labels) == 1 {
			s.odds, s.right = m.Odds(e.text), e.class == 0
			if r.alone {
				s.odds = m.OddsAlone(e.text)
			}
		} else {
			label, p, ok := m.Best(e.text)
			if !ok {
				continue
			}
			s.odds, s.right = math.Log(p/max(1-p, 1e-9)), e.class != none && label == r.labels[e.class]
		}
		if !math.IsInf(s.odds, 0) {
			texts = append(texts, s)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	curve, err := isotonic(texts)
	if errors.Is(err, errAlike) {
		return nil // Nothing is known against the odds.
	}
	if err != nil {
		return err
	}
	if r.point != 0 {
		curve = through(curve, math.Log(r.point/(1-r.point)))
	}
	return m.Calibrate(curve)
}

// fit finds the weights of one class.
func (r recipe) fit(samples []sample, classes []int, class int) ([]float64, error) {
	in, out := 0.0, 0.0
	for i := range samples {
		if samples[i].positive = classes[i] == class; samples[i].positive {
			in += samples[i].cost
		} else {
			out += samples[i].cost
		}
	}
	if in == 0 || out == 0 {
		return nil, errors.New("all examples are alike")
	}
	emphasis := emphasise(samples, r.bits)
	raised := 1 + r.balance*(out/in-1)
	scaled := make([]sample, len(samples))
	for i, s := range samples {
		features := make([]linear.Feature, len(s.features))
		for j, f := range s.features {
			features[j] = linear.Feature{Index: f.Index, Value: f.Value * emphasis[f.Index]}
		}
		s.features = features
		if s.positive {
			s.cost *= raised
		}
		scaled[i] = s
	}
	w := logistic(scaled, r.bits)
	for i, e := range emphasis {
		w[i] *= e
	}
	return w, nil
}
