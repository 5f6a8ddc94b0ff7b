// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

var _ = enter("tone-detection", tone, "goemotions-ekman")

func tone(b *bench) ([]figure, error) {
	tones := []string{"anger", "disgust", "fear", "joy", "neutral", "sadness", "surprise"}
	var figures []figure
	for _, split := range []string{"test", "dev"} {
		rows, err := dataset.GoEmotions(b.data, split)
		if err != nil {
			return nil, err
		}
		got, want := make([]string, len(rows)), make([]string, len(rows))
		right := 0
		for i, r := range rows {
			answer, err := b.ask(r.Text, "tone", nil)
			if err != nil {
				return nil, err
			}
			got[i], want[i] = fmt.Sprint(answer), r.Label
			if got[i] == want[i] {
				right++
			}
		}
		set := "GoEmotions, " + split
		each, mean := macroF1(tones, got, want)
		macro := score(set, len(rows), "macro F1", mean)
		if split == "test" {
			macro = macro.from(0.57)
		}
		figures = append(figures, macro, score(set, len(rows), "accuracy", ratio(float64(right), float64(len(rows)))))
		if split == "test" {
			for i, t := range tones {
				figures = append(figures, score(set, len(rows), "F1 of "+t, each[i]))
			}
		}
	}
	return figures, nil
}
