// SPDX-License-Identifier: Apache-2.0

package clickhouse

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"
)

// Values are part of statements as numbers and as hexadecimal digits: nothing that
// a client, an environment or a query says is ever text of a statement. Parameters
// of the HTTP interface would be part of the address, which holds no long text.

// literal returns a text.
func literal(s string) string { return "unhex('" + hex.EncodeToString([]byte(s)) + "')" }

// literals returns a list of texts.
func literals(list []string) string {
	all := make([]string, len(list))
	for i, s := range list {
		all[i] = literal(s)
	}
	return strings.Join(all, ", ")
}

// fixed returns an id.
func fixed(id []byte) string {
	return "toFixedString(" + literal(string(id)) + ", " + strconv.Itoa(len(id)) + ")"
}

// whole returns a whole number.
func whole(n int64) string {
	if n == math.MinInt64 {
		return "toInt64('-9223372036854775808')"
	}
	return "toInt64(" + strconv.FormatInt(n, 10) + ")"
}

// real64 returns a number, whatever it is.
func real64(n float64) string {
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
