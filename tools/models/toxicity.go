// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"slices"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

//go:embed grammar/toxicity.txt
var toxicityGrammar string

var toxicity = recipe{
	bits: 17, labels: []string{"toxicity"}, cost: 4, balance: 0.4,
	examples: func(data string) ([]example, error) {
		tweets, err := dataset.Davidson(data)
		if err != nil {
			return nil, err
		}
		sexist, err := dataset.EDOS(data, "train")
		if err != nil {
			return nil, err
		}
		comments, err := dataset.SurgeToxicity(data)
		if err != nil {
			return nil, err
		}
		casual, err := dataset.GoEmotions(data, "train")
		if err != nil {
			return nil, err
		}
		clean, err := benign(data)
		if err != nil {
			return nil, err
		}
		made, err := sentences(toxicityGrammar)
		if err != nil {
			return nil, err
		}
		women, err := sentences(sexismGrammar)
		if err != nil {
			return nil, err
		}
		tweets, _ = dataset.Split(tweets)
		comments, _ = dataset.Halve(comments)
		return slices.Concat(
			from(tweets, 1, among("hate", "offensive")),
			from(only(sexist, "sexist"), 1, as(0)),
			from(comments, 3, among("Toxic")),
			from(only(casual, "joy", "neutral"), 0.5, as(none)),
			clean, made, women,
		), nil
	},
}
