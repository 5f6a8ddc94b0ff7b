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
	bits: 17, labels: []string{"sexism"}, cost: 4, balance: 0.5,
	examples: func(data string) ([]example, error) {
		comments, err := dataset.EDOS(data, "train")
		if err != nil {
			return nil, err
		}
		clean, err := benign(data)
		if err != nil {
			return nil, err
		}
		made, err := sentences(sexismGrammar)
		if err != nil {
			return nil, err
		}
		return slices.Concat(from(comments, 1, among("sexist")), clean, made), nil
	},
}
