// SPDX-License-Identifier: Apache-2.0

// Package idnumbertest gives tests numbers whose check digits are right.
package idnumbertest

import (
	"math/rand/v2"

	"github.com/touchstone-otel/touchstone/internal/evaluators/pii/idnumber"
)

// unlikely are numbers that chance does not hit: they need letters or digits
// at given places. Samples that their authorities or handbooks print stand for
// them.
var unlikely = map[string]string{
	"CH_AHV": "7569217076985", "IT_FISCAL_CODE": "RSSMRA85T10A562S", "MX_CURP": "BOXW310820HNERXN09", "IN_GSTIN": "27AAPFU0939F1ZV",
	"CN_ID": "11010519491231002X", "VIN": "1M8GDM9AXKP042788", "CN_USCC": "91110000600037341L", "DE_VAT_ID": "DE136695976",
}

// Sample returns a number of a kind and a shape that its check accepts, made at random
// where chance hits one, and nothing if it does not.
func Sample(r *rand.Rand, id *idnumber.Kind, shape string) string {
	if number := unlikely[id.Name]; number != "" {
		return number
	}
	for range 3_000_000 {
		b := make([]byte, len(shape))
		for i := range b {
			switch {
			case shape[i] == 'd', shape[i] == 'x' && r.IntN(2) == 0:
				b[i] = byte('0' + r.IntN(10))
			default:
				b[i] = byte('A' + r.IntN(26))
			}
		}
		if id.Check(string(b)) {
			return string(b)
		}
	}
	return ""
}
