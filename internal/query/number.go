// SPDX-License-Identifier: Apache-2.0

package query

import (
	"math"
	"strconv"
	"strings"
)

// NumberPattern is a regular expression of the whole of a text that ParseNumber takes,
// unless the number is too large to be finite.
const NumberPattern = `[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?`

// ParseNumber returns the number that a text is: finite, decimal, with an
// exponent or without, and nothing around it. The forms that only Go's parser
// knows, such as inf, nan, 0x1p4 and 1_000, are no numbers.
func ParseNumber(text string) (float64, bool) {
	if strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && !math.IsInf(n, 0)
}
