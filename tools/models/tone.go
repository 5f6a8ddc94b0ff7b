// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/feelings"
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
		made := slices.Concat(tuned(comments, 1, 1, class), tuned(lines, 0.2, 1.5, class), told)
		for i := range made {
			made[i].text = feelings.Stated(made[i].text) // as texts are judged
		}
		return made, nil
	},
}

// toldTones returns what people tell of what happened to them, and what they say of
// their feelings.
func toldTones() ([]example, error) {
	g, err := parseGrammar(toneGrammar)
	if err != nil {
		return nil, err
	}
	var made []example
	random := rand.New(rand.NewPCG(5, 6)) //nolint:gosec // the same sentences every time is the point
	add := func(ways, said []string, class int, cost float64) error {
		for _, s := range said {
			for _, way := range ways {
				text, err := g.fill(strings.ReplaceAll(way, "{said}", s), random, 0)
				if err != nil {
					return err
				}
				made = append(made, example{text: begun(text), class: class, cost: cost})
			}
		}
		return nil
	}
	for class, tone := range tones {
		errs := []error{add(g.lists["telling"], g.lists[tone], class, 0.25), add(g.lists["feeling"], g.lists["feeling-"+tone], class, 0.25)}
		for _, kind := range [...]string{"denial", "thing", "cry"} {
			errs = append(errs, add(g.lists[kind], g.lists[kind+"-"+tone], class, 0.12))
		}
		if err := errors.Join(errs...); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// begun returns a sentence with its first letter as a capital.
func begun(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
