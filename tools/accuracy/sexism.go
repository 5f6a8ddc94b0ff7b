// SPDX-License-Identifier: Apache-2.0

package main

import "github.com/touchstone-otel/touchstone/tools/models/dataset"

var _ = enter("sexism-detector", sexism, "edos-sexism", "piguard-benign", "halueval-general", "clinc-oos")

func sexism(b *bench) ([]figure, error) {
	var figures []figure
	for _, split := range []string{"test", "dev"} {
		rows, err := dataset.EDOS(b.data, split)
		if err != nil {
			return nil, err
		}
		made, err := b.withROC("EDOS, "+split, rows, "is_safe", false, among("sexist"))
		if err != nil {
			return nil, err
		}
		if split == "test" {
			made[0] = made[0].from(0.63)
		}
		figures = append(figures, made...)
	}
	harmless, err := b.harmless("is_safe", false, 0.01)
	return append(figures, harmless...), err
}
