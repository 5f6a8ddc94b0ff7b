// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"strconv"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

// profanityOwn are sentences written for this before the words were chosen: their
// language, 1 if they are rude, and the sentence. The harmless ones have what looks
// like a rude word.
//
//go:embed texts/profanity_languages.tsv
var profanityOwn string

// profanityOfOthers measures languages other than English: on our own sentences, on
// plain ones, and on German tweets. Words were chosen by one half of each.
func (b *bench) profanityOfOthers() ([]figure, error) {
	rows, err := tableOf("profanity_languages.tsv", profanityOwn, 3)
	if err != nil {
		return nil, err
	}
	own := map[string][]sample{}
	for _, row := range rows {
		own[row[0]] = append(own[row[0]], sample{text: row[2], want: row[1] == "1", group: row[2]})
	}
	sentences, err := dataset.Tatoeba(b.data)
	if err != nil {
		return nil, err
	}
	var figures []figure
	var all []sample
	for _, code := range []string{"de", "es", "fr", "it", "pt"} {
		all = append(all, own[code]...)
		var plain []sample
		for _, r := range sentences {
			if r.Language == code {
				plain = append(plain, sample{text: r.Text, group: r.Text})
			}
		}
		alarms, err := b.objections("plain sentences, "+code+", held-out half", heldOut(plain))
		if err != nil {
			return nil, err
		}
		for _, f := range alarms { // none without a sentence
			figures = append(figures, f.upTo(0.02))
		}
	}
	for _, set := range []struct {
		name    string
		samples []sample
		least   float64
		most    float64
	}{
		{"own sentences in five languages", all, 0, 1},
		{"own sentences in five languages, held out", heldOut(all), 0.85, 0.05},
	} {
		made, err := b.objections(set.name, set.samples)
		if err != nil {
			return nil, err
		}
		if set.least > 0 {
			made[0], made[1] = made[0].from(set.least), made[1].upTo(set.most)
		}
		figures = append(figures, made...)
	}
	tweets, err := dataset.Set(b.data, "germeval-2018")
	if err != nil {
		return nil, err
	}
	var held []sample
	for _, r := range tweets {
		if r.Split == "test" && (r.Kind == "PROFANITY" || r.Kind == "OTHER") {
			held = append(held, sample{text: r.Text, want: r.Kind == "PROFANITY"})
		}
	}
	made, err := b.objections("German tweets of the test split, profane or not offensive", held)
	if err != nil {
		return nil, err
	}
	for i, f := range made {
		if f.name == "false alarms" {
			made[i] = f.upTo(0.02)
		}
	}
	return append(figures, made...), nil
}

// objections returns recall and false alarms of texts that are objected to.
func (b *bench) objections(set string, samples []sample) ([]figure, error) {
	rows := make([]dataset.Row, len(samples))
	for i, s := range samples {
		rows[i] = dataset.Row{Text: s.text, Label: strconv.FormatBool(s.want)}
	}
	made, err := b.verdicts(rows, "is_safe", false, among("true"))
	if err != nil {
		return nil, err
	}
	return tally(made).rates(set), nil
}
