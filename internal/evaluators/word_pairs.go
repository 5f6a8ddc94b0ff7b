// SPDX-License-Identifier: Apache-2.0

package evaluators

import "github.com/touchstone-otel/touchstone/internal/evaluators/lexical"

// wordPairs counts the pairs of neighbouring words of a text, its beginning and
// its end counted as words.
func wordPairs(text string) map[string]int {
	pairs := map[string]int{}
	before := ""
	for _, stem := range lexical.Stems(text) {
		pairs[before+" "+stem]++
		before = stem
	}
	pairs[before+" "]++
	return pairs
}
