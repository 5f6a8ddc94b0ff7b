// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

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
			got[i], err = b.number("similarity_score", map[string]string{"completion": p.first, "reference": p.second})
			if err != nil {
				return nil, err
			}
			want[i] = p.likeness
		}
		f := score("STS benchmark, "+split, len(read), "Pearson correlation", correlation(got, want)).
			within(bootstrap(len(read), func(sample []int) float64 {
				g, w := make([]float64, len(sample)), make([]float64, len(sample))
				for i, n := range sample {
					g[i], w[i] = got[n], want[n]
				}
				return correlation(g, w)
			}))
		if split == "dev" {
			f = f.from(0.70)
		}
		figures = append(figures, f)
	}
	return figures, nil
}

// pair is two texts and how alike people find them, 0 to 5.
type pair struct {
	first, second string
	likeness      float64
}

// pairs reads a split of the STS benchmark.
func pairs(data, split string) ([]pair, error) {
	f, err := os.Open(filepath.Join(data, "stsb-en", "stsb-en-"+split+".csv")) //nolint:gosec // the directory is the caller's
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	read := make([]pair, len(lines))
	for i, line := range lines {
		if len(line) != 3 {
			return nil, fmt.Errorf("stsb-en: line %d has %d columns", i+1, len(line))
		}
		likeness, err := strconv.ParseFloat(line[2], 64)
		if err != nil {
			return nil, fmt.Errorf("stsb-en: line %d: %w", i+1, err)
		}
		read[i] = pair{line[0], line[1], likeness}
	}
	return read, nil
}
