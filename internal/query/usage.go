// SPDX-License-Identifier: Apache-2.0

package query

import "github.com/touchstone-otel/touchstone/internal/span"

// OwnUsage returns the condition that the tokens and costs of a span are not those of
// spans within it, too: what Span.Repeats denies.
func OwnUsage() Filter {
	column := func(name string) Field { return Field{Kind: FieldColumn, Name: name} }
	return Any(
		Filter{Field: column("span_type"), Operator: OpNotIn, Values: span.RepeatingTypes},
		Filter{Field: column("span_kind"), Operator: OpEquals, Value: span.KindClient},
	)
}
