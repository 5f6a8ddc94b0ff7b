// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

//go:embed grammar/tone.txt
var toneGrammar string

var tones = []string{"anger", "disgust", "fear", "joy", "neutral", "sadness", "surprise"}

var tone = recipe{
	bits: 17, labels: tones, cost: 4, balance: 0.25,
	meaning: &meaning{filters: 32, passes: 5},
	examples: func(data string) ([]example, error) {
		comments, err := dataset.GoEmotions(data, "train")
		if err != nil {
			return nil, err
		}
		lines, err := dataset.Set(data, "xed-emotion-en")
		if err != nil {
			return nil, err
		}
		lines, _ = dataset.Split(only(lines, tones...))
		told, err := toldTones()
		if err != nil {
			return nil, err
		}
		class := func(label string) int { return slices.Index(tones, label) }
		return slices.Concat(tuned(comments, 1, 1, class), tuned(lines, 0.2, 1.5, class), told), nil
	},
}

// toldTones returns what people tell of what happened to them.
func toldTones() ([]example, error) {
	g, err := parseGrammar(toneGrammar)
	if err != nil {
		return nil, err
	}
	var made []example
	for class, tone := range tones {
		for _, said := range g.lists[tone] {
			for _, way := range g.lists["telling"] {
				made = append(made, example{text: strings.ReplaceAll(way, "{said}", said), class: class, cost: 0.25})
			}
		}
	}
	return made, nil
}
