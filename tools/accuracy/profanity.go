// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

var _ = enter("profanity-detector", profanity, "davidson-hate-offensive", "surge-toxicity", "halueval-general", "piguard-benign", "clinc-oos")

func profanity(b *bench) ([]figure, error) {
	tweets, err := dataset.Davidson(b.data)
	if err != nil {
		return nil, err
	}
	_, tweets = dataset.Split(tweets)
	got, err := b.verdicts(tweets, "is_safe", false, among("hate", "offensive"))
	if err != nil {
		return nil, err
	}
	figures := tally(got).figures("Davidson tweets, held out")
	figures[0] = figures[0].from(0.96)
	comments, err := dataset.SurgeToxicity(b.data)
	if err != nil {
		return nil, err
	}
	got, err = b.verdicts(comments, "is_safe", false, among("Toxic"))
	if err != nil {
		return nil, err
	}
	c := tally(got)
	harmless, err := b.harmless("is_safe", false, 0.005)
	return slices.Concat(figures, []figure{
		score("Surge comments, toxic is not profane", len(comments), "precision", c.precision()),
		score("Surge comments, toxic is not profane", len(comments), "recall", c.recall()),
	}, harmless), err
}
