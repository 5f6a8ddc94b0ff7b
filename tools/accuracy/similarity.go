// SPDX-License-Identifier: Apache-2.0

package main

import "fmt"

var _ = enter("semantic-similarity", similarity, "stsb-en")

func similarity(b *bench) ([]figure, error) {
	var figures []figure
	for _, split := range []string{"dev", "train"} {
		read, err := pairs(b.data, split)
		if err != nil {
			return nil, err
		}
		got, want := make([]float64, len(read)), make([]float64, len(read))
		for i, p := range read {
			answer, err := b.output("similarity_score", map[string]string{"completion": p.first, "reference": p.second})
			if err != nil {
				return nil, err
			}
			number, ok := answer.(float64)
			if !ok {
				return nil, fmt.Errorf("similarity_score is no number but %T", answer)
			}
			got[i], want[i] = number, p.likeness
		}
		f := score("STS benchmark, "+split, len(read), "Pearson correlation", correlation(got, want))
		if split == "dev" {
			f = f.from(0.70)
		}
		figures = append(figures, f)
	}
	return figures, nil
}
