// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"strconv"
	"strings"
)

// thresholdDigits is how many hexadecimal digits a rejection threshold has, 56
// bits; trailing zeros may be left out.
const thresholdDigits = 14

// keptBefore returns the share of traces that samplers before us kept, as the
// trace state says: 1 where it does not. The entry ot has sub-keys with ";"
// between them, of which th is the rejection threshold: with a threshold T a
// trace is kept with a probability of (2^56 - T) / 2^56.
//
// https://opentelemetry.io/docs/specs/otel/trace/tracestate-probability-sampling/
func keptBefore(traceState string) float64 {
	for member := range strings.SplitSeq(traceState, ",") {
		value, found := strings.CutPrefix(strings.Trim(member, " \t"), "ot=")
		if !found {
			continue
		}
		for part := range strings.SplitSeq(value, ";") {
			if digits, found := strings.CutPrefix(part, "th:"); found {
				return keptOver(digits)
			}
		}
		return 1
	}
	return 1
}

// keptOver returns the share of traces that are kept over a threshold, 1 for
// what is none.
func keptOver(digits string) float64 {
	if digits == "" || len(digits) > thresholdDigits || strings.Trim(digits, "0123456789abcdef") != "" {
		return 1
	}
	threshold, err := strconv.ParseUint(digits+strings.Repeat("0", thresholdDigits-len(digits)), 16, 64)
	if err != nil {
		return 1
	}
	const all = 1 << (4 * thresholdDigits)
	return float64(all-threshold) / all
}
