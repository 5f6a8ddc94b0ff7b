// SPDX-License-Identifier: Apache-2.0

// Package sqltext writes values and conditions as text of statements.
package sqltext

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"
)

// Values are part of statements as numbers and as hexadecimal digits: nothing that
// a client, an environment or a query says is ever text of a statement. Parameters
// of the HTTP interface would be part of the address, which holds no long text.

// Literal returns a text.
func Literal(s string) string { return "unhex('" + hex.EncodeToString([]byte(s)) + "')" }

// Literals returns a list of texts.
func Literals(list []string) string {
	all := make([]string, len(list))
	for i, s := range list {
		all[i] = Literal(s)
	}
	return strings.Join(all, ", ")
}

// Fixed returns an id.
func Fixed(id []byte) string {
	return "toFixedString(" + Literal(string(id)) + ", " + strconv.Itoa(len(id)) + ")"
}

// Whole returns a whole number.
func Whole(n int64) string {
	if n == math.MinInt64 {
		return "toInt64('-9223372036854775808')"
	}
	return "toInt64(" + strconv.FormatInt(n, 10) + ")"
}

// Number returns a number, whatever it is.
func Number(n float64) string {
	switch {
	case math.IsInf(n, 1):
		return "toFloat64('inf')"
	case math.IsInf(n, -1):
		return "toFloat64('-inf')"
	case math.IsNaN(n):
		return "toFloat64('nan')"
	}
	return "toFloat64(" + strconv.FormatFloat(n, 'g', -1, 64) + ")"
}

// Conditions are expressions that are 0 or 1, never NULL. Never and Always are those
// that look at nothing.
const Never, Always = "0", "1"
