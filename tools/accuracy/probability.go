// SPDX-License-Identifier: Apache-2.0

package main

import "github.com/touchstone-otel/touchstone/tools/models/dataset"

// Where withROC puts figures that have bars.
const (
	atF1          = 0
	atArea        = 4
	atCalibration = 5
)

// withROC returns the figures of verdicts and of the probabilities behind them.
func (b *bench) withROC(set string, rows []dataset.Row, output string, yes bool, want func(string) bool) ([]figure, error) {
	got, err := b.verdicts(rows, output, yes, want)
	if err != nil {
		return nil, err
	}
	probabilities, err := b.probabilities(rows, output, yes)
	if err != nil {
		return nil, err
	}
	wanted := make([]bool, len(got))
	for i, v := range got {
		wanted[i] = v.want
	}
	return append(tally(got).figures(set), area(set, probabilities, wanted), calibration(set, probabilities, wanted, nil),
		tally(got).figure(set, "macro F1", counts.macro)), nil
}

// area returns the area under ROC as a figure.
func area(set string, probabilities []float64, want []bool) figure {
	return score(set, len(want), "area under ROC", areaUnderROC(probabilities, want)).
		within(bootstrap(len(want), func(sample []int) float64 {
			p, w := make([]float64, len(sample)), make([]bool, len(sample))
			for i, n := range sample {
				p[i], w[i] = probabilities[n], want[n]
			}
			return areaUnderROC(p, w)
		}))
}

// alarms returns the share of harmless rows that are objected to.
func (b *bench) alarms(set string, rows []dataset.Row, output string, yes bool) (figure, error) {
	got, err := b.verdicts(rows, output, yes, among())
	if err != nil {
		return figure{}, err
	}
	return tally(got).falseAlarms(set), nil
}
