// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

var tones = []string{"anger", "disgust", "fear", "joy", "neutral", "sadness", "surprise"}

var tone = recipe{
	bits: 16, labels: tones, cost: 4, balance: 0.15,
	examples: func(data string) ([]example, error) {
		comments, err := dataset.GoEmotions(data, "train")
		if err != nil {
			return nil, err
		}
		return from(comments, 1, func(label string) int { return slices.Index(tones, label) }), nil
	},
}
