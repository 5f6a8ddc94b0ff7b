// SPDX-License-Identifier: Apache-2.0

package span

// Operator is how a filter compares. The not_* operators are the exact
// negation of their positive twin: they hold where the field is absent.
// Comparisons of text are literal and by bytes.
type Operator string

const (
	OpEquals             Operator = "equals"
	OpNotEquals          Operator = "not_equals"
	OpGreaterThan        Operator = "greater_than"
	OpGreaterThanOrEqual Operator = "greater_than_or_equal"
	OpLessThan           Operator = "less_than"
	OpLessThanOrEqual    Operator = "less_than_or_equal"
	OpContains           Operator = "contains"
	OpNotContains        Operator = "not_contains" // of points and selectors; the filters of spans do not spell it
	OpStartsWith         Operator = "starts_with"
	OpIn                 Operator = "in"
	OpNotIn              Operator = "not_in"
	OpExists             Operator = "exists"
	OpNotExists          Operator = "not_exists"
)

// Numeric reports whether the operator compares numbers. A stored text that
// is not a finite number never matches such an operator.
func (o Operator) Numeric() bool {
	switch o {
	case OpGreaterThan, OpGreaterThanOrEqual, OpLessThan, OpLessThanOrEqual:
		return true
	}
	return false
}

// Filter is one condition on a span.
type Filter struct {
	Field    Field
	Operator Operator
	// Value is the comparison value as text; unused by in, not_in, exists and
	// not_exists. For a numeric operator Number holds it parsed.
	Value  string
	Number float64
	// Values are those of in and not_in, at least one.
	Values []string
}

// FieldKind says where a field's value lies.
type FieldKind string

const (
	// FieldColumn: a field of the span itself, Name as the API shows it
	// ("span_name", "duration", …). timestamp and duration are whole
	// milliseconds; the others are text, and exist when not "".
	// The map-valued fields prompts and completions match when any of their
	// values does.
	FieldColumn FieldKind = "column"
	// FieldAlias: a promoted value, Name one of the Alias constants.
	FieldAlias FieldKind = "alias"
	// FieldMessage: one entry of prompts or completions, Name its full key
	// ("llm.prompts.0.content").
	FieldMessage FieldKind = "message"
	// FieldAttribute: a span attribute, or where the span has none of that
	// name, the resource attribute.
	FieldAttribute FieldKind = "attribute"
	// FieldSpanAttribute and FieldResourceAttribute look in one place only.
	FieldSpanAttribute     FieldKind = "span_attribute"
	FieldResourceAttribute FieldKind = "resource_attribute"
	// FieldEvaluation: output Output of evaluator Name, of any setup.
	FieldEvaluation FieldKind = "evaluation"
)

// Aliases: names of promoted values.
const (
	AliasWorkflow      = "workflow"
	AliasEntity        = "entity"
	AliasVendor        = "llm.vendor"
	AliasRequestModel  = "llm.request.model"
	AliasResponseModel = "llm.response.model"
	AliasInputTokens   = "llm.usage.input_tokens"
	AliasOutputTokens  = "llm.usage.output_tokens"
	AliasTotalTokens   = "llm.usage.total_tokens"
)

// Field is what a filter looks at.
type Field struct {
	Kind   FieldKind
	Name   string
	Output string // FieldEvaluation only
}
