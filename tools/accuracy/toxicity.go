// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

var _ = enter("toxicity-detector", toxicity, "surge-toxicity", "hatecheck", "halueval-general", "piguard-benign", "clinc-oos",
	"toxic-spans", "gab-hate-corpus", "openai-moderation-half", "hatemoji-build", "germeval-2018", "jigsaw-madlibs-half",
	"jigsaw-templates-multilingual", "tatoeba-pairs")

func toxicity(b *bench) ([]figure, error) {
	comments, err := dataset.SurgeToxicity(b.data)
	if err != nil {
		return nil, err
	}
	_, comments = dataset.Halve(comments)
	tests, err := dataset.HateCheck(b.data)
	if err != nil {
		return nil, err
	}
	moderated, err := b.heldOut("openai-moderation-half", 5)
	if err != nil {
		return nil, err
	}
	posts, err := b.heldOut("gab-hate-corpus", 10)
	if err != nil {
		return nil, err
	}
	news, err := b.newsAndPlain()
	if err != nil {
		return nil, err
	}
	emoji, err := b.heldOut("hatemoji-build", 10)
	if err != nil {
		return nil, err
	}
	german, err := b.heldOut("germeval-2018", 10)
	if err != nil {
		return nil, err
	}
	var figures []figure
	for _, set := range []struct {
		name string
		rows []dataset.Row
		want func(string) bool
		area float64
	}{
		{"Surge comments, held-out half", comments, among("Toxic"), 0.9},
		{"moderated texts (OpenAI), held-out fifth", moderated, among("1"), 0.75},
		{"toxic news comments and plain sentences, held out", news, among("1"), 0.9},
		{"Gab posts, held out", posts, among("1"), 0},
		{"hate with emoji, pairs held out", emoji, among("1"), 0},
		{"German tweets, held out", german, among("1"), 0},
		{"HateCheck, never trained on", tests, among("hateful"), 0},
	} {
		made, err := b.withROC(set.name, set.rows, "is_safe", false, set.want)
		if err != nil {
			return nil, err
		}
		if set.area > 0 {
			made[4] = made[4].from(set.area)
		}
		figures = append(figures, made...)
	}
	identities, err := b.identities("toxicity-detector")
	if err != nil {
		return nil, err
	}
	harmless, err := b.harmless("is_safe", false, 0.01)
	return slices.Concat(figures, identities, harmless), err
}

// newsAndPlain returns comments that all raters of the spans called toxic, and
// plain sentences.
func (b *bench) newsAndPlain() ([]dataset.Row, error) {
	news, err := b.heldOut("toxic-spans", 10)
	if err != nil {
		return nil, err
	}
	plain, err := dataset.Tatoeba(b.data)
	if err != nil {
		return nil, err
	}
	_, plain = dataset.Split(plain)
	rows := only(news, "1")
	for _, r := range plain {
		if r.Language == "en" {
			rows = append(rows, r)
		}
	}
	return rows, nil
}
