// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

var _ = enter("toxicity-detector", toxicity, "surge-toxicity", "hatecheck", "halueval-general", "piguard-benign", "clinc-oos")

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
	var figures []figure
	for _, set := range []struct {
		name string
		rows []dataset.Row
		want func(string) bool
	}{{"Surge comments, held-out half", comments, among("Toxic")}, {"HateCheck", tests, among("hateful")}} {
		made, err := b.withROC(set.name, set.rows, "is_safe", false, set.want)
		if err != nil {
			return nil, err
		}
		figures = append(figures, made...)
	}
	harmless, err := b.harmless("is_safe", false, 0.01)
	return slices.Concat(figures, harmless), err
}
