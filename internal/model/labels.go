// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// Activation is how the numbers of a classifier become probabilities.
type Activation string

const (
	// Softmax: exactly one label applies; the scores sum to 1.
	Softmax Activation = "softmax"
	// Sigmoid: each label applies or not, whatever the others do.
	Sigmoid Activation = "sigmoid"
)

// Validate refuses what is no activation.
func (a Activation) Validate() error {
	if a != Softmax && a != Sigmoid {
		return fmt.Errorf("%q is neither softmax nor sigmoid", string(a))
	}
	return nil
}

// readLabels turns what a classifier gives, logits or probabilities, into
// labels with probabilities, the highest first. Names are replaced as the map
// says.
func readLabels(raw []eval.Label, logits bool, a Activation, names map[string]string) ([]eval.Label, error) {
	if len(raw) == 0 {
		return nil, broken("the answer has no labels")
	}
	labels := slices.Clone(raw)
	seen := make(map[string]bool, len(labels))
	for i := range labels {
		l := &labels[i]
		if name, ok := names[l.Name]; ok {
			l.Name = name
		}
		if l.Name == "" || seen[l.Name] {
			return nil, broken("a label has no name of its own")
		}
		seen[l.Name] = true
		if math.IsNaN(l.Score) || math.IsInf(l.Score, 0) {
			return nil, broken("a score is not finite")
		}
	}
	if logits {
		activate(labels, a)
	} else if err := probabilities(labels); err != nil {
		return nil, err
	}
	slices.SortStableFunc(labels, func(a, b eval.Label) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Name, b.Name))
	})
	return labels, nil
}

func activate(labels []eval.Label, a Activation) {
	if a == Sigmoid {
		for i := range labels {
			labels[i].Score = 1 / (1 + math.Exp(-labels[i].Score))
		}
		return
	}
	largest := slices.MaxFunc(labels, func(a, b eval.Label) int { return cmp.Compare(a.Score, b.Score) }).Score
	sum := 0.0
	for i := range labels {
		labels[i].Score = math.Exp(labels[i].Score - largest)
		sum += labels[i].Score
	}
	for i := range labels {
		labels[i].Score /= sum
	}
}

var errProbability = errors.New("a score is no probability")

func probabilities(labels []eval.Label) error {
	const rounding = 1e-3
	for i := range labels {
		s := labels[i].Score
		if s < -rounding || s > 1+rounding {
			return &failure{reason: ReasonBroken, cause: errProbability}
		}
		labels[i].Score = min(max(s, 0), 1)
	}
	return nil
}
