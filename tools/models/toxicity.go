// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"slices"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

var (
	//go:embed grammar/toxicity.txt
	toxicityGrammar string
	//go:embed grammar/people.txt
	peopleGrammar string
	//go:embed grammar/topics.txt
	topicsOfAbuse string
)

var toxicity = recipe{
	bits: 18, labels: []string{"toxicity"}, cost: 4, balance: 0.4, point: 0.44,
	topics: &topics{source: topicsOfAbuse, pull: 10, pullMean: 40},
	examples: func(data string) ([]example, error) {
		toxic, err := toxicSets(data)
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
		plain, err := plainSentences(data)
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
		people, err := groups(data, 0, 3)
		if err != nil {
			return nil, err
		}
		return slices.Concat(toxic, tuned(only(casual, "joy", "neutral"), 0.5, 0.15, as(none)), clean, plain, made, women, people), nil
	},
}

// toxicSets returns what people called toxic and what they did not.
func toxicSets(data string) ([]example, error) {
	tweets, err := dataset.Davidson(data)
	if err != nil {
		return nil, err
	}
	sexist, err := dataset.EDOS(data, "train")
	if err != nil {
		return nil, err
	}
	surge, err := dataset.SurgeToxicity(data)
	if err != nil {
		return nil, err
	}
	tweets, _ = dataset.Split(tweets)
	surge, _ = dataset.Halve(surge)
	made := slices.Concat(
		// Offensive tweets are often banter: what they call each other is no
		// sure sign.
		tuned(tweets, 0.5, 0.15, among("hate", "offensive")),
		from(only(sexist, "sexist"), 0.3, as(0)),
		tuned(surge, 3, 6, among("Toxic")),
	)
	for _, set := range []struct {
		name        string
		heldOut     uint64
		cost, share float64
		// topical is how much more the set weighs where topics are weighed: it has
		// texts of all of them, and most others have insults and hate alone.
		topical float64
	}{
		{"toxic-spans", 10, 1, 0.6, 1},
		{"gab-hate-corpus", 10, 1, 0.5, 1},
		{"openai-moderation-half", 5, 5, 3, 6},
		{"hatemoji-build", 10, 0.6, 0, 1},
		{"guest-misogyny", 10, 0.5, 0.5, 1},
		{"germeval-2018", 10, 0.5, 0, 1},
	} {
		rows, err := dataset.Set(data, set.name)
		if err != nil {
			return nil, err
		}
		rows, _ = dataset.Part(rows, set.heldOut)
		examples := from(rows, set.cost, among("1"))
		if set.share != 0 {
			examples = tuned(rows, set.cost, set.share, among("1"))
		}
		for i := range examples {
			examples[i].topical = set.topical
		}
		made = append(made, examples...)
	}
	return made, nil
}

// groups returns sentences in which every group of people stands in the same
// kind and unkind frames, so that no word for a group weighs by itself; unkind
// is the class of the latter, and kindness the weight of made-up kind ones.
func groups(data string, unkind int, kindness float64) ([]example, error) {
	named, err := sentences(peopleGrammar)
	if err != nil {
		return nil, err
	}
	var made []example
	for _, e := range named {
		if e.class == 0 {
			e.class = unkind
		} else {
			e.cost = kindness
		}
		made = append(made, e)
	}
	for _, set := range []string{"jigsaw-madlibs-half", "jigsaw-templates-multilingual"} {
		rows, err := dataset.Set(data, set)
		if err != nil {
			return nil, err
		}
		rows, _ = dataset.Part(rows, 5)
		for _, e := range from(rows, 1, among("1")) {
			if e.class == 0 {
				e.class = unkind
			}
			made = append(made, e)
		}
	}
	return made, nil
}
