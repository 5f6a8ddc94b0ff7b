// SPDX-License-Identifier: Apache-2.0

package rest

import "encoding/json"

// Filters is a list of conditions as a body has it.
type Filters struct{ json.RawMessage }

// JSONSchema returns the schema of the list.
func (Filters) JSONSchema(of func(any) map[string]any) map[string]any {
	return object{"type": "array", "items": of(FilterCondition{}), "maxItems": 100}
}

// FilterCondition is one of them.
type FilterCondition struct {
	ID       string `json:"id" doc:"A field of the span, an attribute, or evaluation.<slug>.<output>, with <source>:<name> for the slug of verdicts that others gave. The prefixes span_attributes. and resource_attributes. look for an attribute in one place only. touchstone.evaluation.[<slug>.]status, reason, backend and setup_id are what became of evaluations, of any status, and good is whether one speaks for the span (true) or against it (false). Conditions on these by equals, in and exists, of one evaluator or of all, hold where one evaluation satisfies all of them." schema:"required minLength=1 maxLength=4096"`
	Operator string `json:"operator" doc:"How the field is compared. The not_* operators hold where it is absent. A field that a span is shown with an empty text is absent: not_exists finds it, and equals with an empty value does not." schema:"required" enum:"equals,not_equals,greater_than,greater_than_or_equal,less_than,less_than_or_equal,contains,starts_with,in,not_in,exists,not_exists"`
	Value    any    `json:"value,omitempty" doc:"What to compare with: a finite number for the numeric operators, an array for in and not_in, nothing for exists and not_exists." schema:"types=string,number,boolean,array elements=string,number,boolean maxItems=1000"`
	Values   any    `json:"values,omitempty" doc:"The list of in and not_in, where it does not stand in value." schema:"types=array,null elements=string,number,boolean maxItems=1000"`
}
