// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"slices"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

//go:embed grammar/sexism.txt
var sexismGrammar string

var sexism = recipe{
	bits: 18, labels: []string{"sexism"}, cost: 4, balance: 0.5, point: 0.32,
	topics: &topics{source: topicsOfAbuse, pull: 10, pullMean: 40},
	examples: func(data string) ([]example, error) {
		comments, err := dataset.EDOS(data, "train")
		if err != nil {
			return nil, err
		}
		posts, err := dataset.Set(data, "guest-misogyny")
		if err != nil {
			return nil, err
		}
		clean, err := benign(data)
		if err != nil {
			return nil, err
		}
		plain, err := plainSentences(data, "en")
		if err != nil {
			return nil, err
		}
		made, err := sentences(sexismGrammar)
		if err != nil {
			return nil, err
		}
		// Contempt for a person of any sex is not contempt for the sex.
		people, err := groups(data, none, 1)
		if err != nil {
			return nil, err
		}
		posts, _ = dataset.Split(posts)
		// Of posts of a forum one in twelve is misogynistic: what they are about
		// says the more.
		forum := tuned(posts, 1, 0.5, among("1"))
		for i := range forum {
			forum[i].topical = 3
		}
		return slices.Concat(tuned(comments, 1, 1, among("sexist")), forum, clean, plain, made, people), nil
	},
}
