// SPDX-License-Identifier: Apache-2.0

package verdicts

import "math"

// Kappa is Cohen's kappa with its 95 % interval.
type Kappa struct {
	_ struct{} `doc:"Cohen's kappa."`

	Value         float64 `json:"value" doc:"1 is agreement, 0 what chance would give."`
	StandardError float64 `json:"standard_error" doc:"By the large-sample variance of Fleiss, Cohen and Everitt."`
	Low           float64 `json:"low" doc:"Where the 95 % interval begins."`
	High          float64 `json:"high" doc:"Where it ends; not cut at 1."`
}

// z95 is the quantile of the normal distribution at 0.975.
const z95 = 1.959963984540054

// accuracy returns the share of a table's diagonal.
func accuracy(table [][]int) float64 {
	same, all := 0, 0
	for i, row := range table {
		same += row[i]
		for _, n := range row {
			all += n
		}
	}
	return float64(same) / float64(all)
}

// kappa returns Cohen's kappa of a square table of counts, and its interval by the
// variance for large samples; nil where it is not defined, for both know one
// category only.
//
// J. Cohen, A coefficient of agreement for nominal scales, 1960; J. L. Fleiss, J.
// Cohen, B. S. Everitt, Large sample standard errors of kappa and weighted kappa,
// 1969, https://doi.org/10.1037/h0028106. The interval is not cut at -1 and 1.
func kappa(table [][]int) *Kappa {
	all := 0.0
	rows, columns := make([]float64, len(table)), make([]float64, len(table))
	for i, row := range table {
		for j, n := range row {
			all += float64(n)
			rows[i] += float64(n)
			columns[j] += float64(n)
		}
	}
	observed, expected := 0.0, 0.0
	for i := range table {
		rows[i], columns[i] = rows[i]/all, columns[i]/all
		observed += float64(table[i][i]) / all
		expected += rows[i] * columns[i]
	}
	if all == 0 || expected >= 1 {
		return nil
	}
	k := (observed - expected) / (1 - expected)
	onDiagonal, beside := 0.0, 0.0
	for i, row := range table {
		for j, n := range row {
			p := float64(n) / all
			if i == j {
				d := 1 - (rows[i]+columns[i])*(1-k)
				onDiagonal += p * d * d
			} else {
				d := columns[i] + rows[j]
				beside += p * d * d
			}
		}
	}
	rest := k - expected*(1-k)
	variance := (onDiagonal + (1-k)*(1-k)*beside - rest*rest) / ((1 - expected) * (1 - expected) * all)
	e := math.Sqrt(max(variance, 0))
	return &Kappa{Value: k, StandardError: e, Low: k - z95*e, High: k + z95*e}
}
