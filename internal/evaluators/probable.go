// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"fmt"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// band is where a probability does not tell: from the one on, and below the other. ADR 0084
// has the figures outside of it.
type band struct{ from, to float64 }

var (
	toxicityBand  = band{0.15, 0.7}
	sexismBand    = band{0.1, 0.7}
	politeBand    = band{0.02, 0.7}
	injectionBand = band{0.2, 0.7}
)

// has reports whether a threshold is within the band.
func (b band) has(threshold float64) bool { return threshold > b.from && threshold < b.to }

// judged says what a probability of something is compared with. A threshold beyond the band
// is its user's own choice.
func (b band) judged(of string, p, threshold float64) eval.Judged {
	j := eval.Judged{Grounds: eval.Grounds{Score: eval.Scored(p)}}
	switch {
	case p >= b.from && p < b.to && b.has(threshold):
		j.Reason, j.Uncertain = fmt.Sprintf("The probability of %s is %.2f, which is neither low nor high.", of, p), true
	case p >= threshold-scoreNoise:
		j.Reason = fmt.Sprintf("The probability of %s is %.2f, at least the threshold of %g.", of, p, threshold)
	default:
		j.Reason = fmt.Sprintf("The probability of %s is %.2f, below the threshold of %g.", of, p, threshold)
	}
	return j
}
