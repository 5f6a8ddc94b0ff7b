// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"slices"
	"unicode"

	"github.com/touchstone-otel/touchstone/internal/evaluators/language"
	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

// languages returns, for plain sentences that are long enough, how many of each
// language are not recognised as of another language than English, and judged
// therefore; and of English ones how many are taken for another.
func (b *bench) languages() ([]figure, error) {
	sentences, err := dataset.Tatoeba(b.data)
	if err != nil {
		return nil, err
	}
	_, sentences = dataset.Split(sentences)
	total, english := map[string]float64{}, map[string]float64{}
	for _, r := range sentences {
		letters := 0
		for _, c := range r.Text {
			if unicode.IsLetter(c) {
				letters++
			}
		}
		if letters < language.LeastLetters {
			continue
		}
		total[r.Language]++
		if told := language.Of(r.Text); told == "" || told == language.English {
			english[r.Language]++
		}
	}
	var figures []figure
	for _, code := range slices.Sorted(maps.Keys(total)) {
		set := "plain sentences of 20 letters and more, " + code + ", held out"
		if code == language.English {
			figures = append(figures, proportion(set, "not judged", total[code]-english[code], total[code]).upTo(0.01))
		} else {
			figures = append(figures, proportion(set, "judged as if English", english[code], total[code]))
		}
	}
	return figures, nil
}
