// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/store/duckdb/internal/sqltext"
)

// SortedNumber returns the number that the text of an output of a kind sorts by, null
// where there is none.
func SortedNumber(text, kind string) string {
	number := "TRY_CAST(" + text + " AS DOUBLE)"
	finite := "CASE WHEN isfinite(" + number + ") THEN " + number + " END"
	switch kind {
	case "i":
		return number
	case "f":
		return finite
	case "b":
		return "CASE " + text + " WHEN 'true' THEN 1::DOUBLE WHEN 'false' THEN 0::DOUBLE END"
	}
	// The engine also takes for numbers what is none.
	return "CASE " + text + " WHEN 'true' THEN 1::DOUBLE WHEN 'false' THEN 0::DOUBLE ELSE " +
		"CASE WHEN regexp_full_match(" + text + ", " + sqltext.Quoted(query.NumberPattern) + ") THEN " + finite + " END END"
}
