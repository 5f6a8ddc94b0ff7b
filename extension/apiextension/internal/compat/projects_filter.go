// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// ProjectCondition is a filter as the MCP server writes it. Numbers and booleans come as
// texts, as Python writes them.
type ProjectCondition struct {
	Field    string          `json:"field" doc:"A field of spans; llm.* also means gen_ai.*." schema:"required maxLength=4096"`
	Operator string          `json:"operator" schema:"required"`
	Value    json.RawMessage `json:"value" doc:"What it is compared with; numbers may be texts."`
	Values   json.RawMessage `json:"values" doc:"The list of in and not_in."`
	Type     string          `json:"value_type" doc:"boolean and number say what texts in value mean."`
}

// AmendSchema lets the type of a value be anything: what is not known is not looked at.
func (ProjectCondition) AmendSchema(schema map[string]any) {
	delete(schema["properties"].(map[string]any)["value_type"].(map[string]any), "type")
}

// filtersOf returns what conditions mean.
func filtersOf(list []ProjectCondition) ([]query.Filter, error) {
	filters := make([]query.Filter, len(list))
	for i := range list {
		path := fmt.Sprintf("filters[%d]", i)
		f, err := list[i].filter(path)
		if err != nil {
			return nil, err
		}
		filters[i] = f
	}
	return filters, nil
}

func (c *ProjectCondition) filter(path string) (query.Filter, error) {
	f := query.Filter{Operator: query.Operator(c.Operator)}
	if !f.Operator.Known() {
		return f, fault.New(fault.Invalid, "%s.operator %q is not known", path, c.Operator)
	}
	value := rest.Operand{Path: path + ".value", Raw: c.Value}
	if err := rest.ParseEitherOperand(&f, value, rest.Operand{Path: path + ".values", Raw: c.Values}); err != nil {
		return f, err
	}
	c.spell(&f)
	fields, err := fieldsOf(c.Field)
	if err != nil {
		return f, fault.New(fault.Invalid, "%s.field %s", path, fault.Message(err))
	}
	if len(fields) == 1 {
		f.Field = fields[0]
		return f, nil
	}
	each := make([]query.Filter, len(fields))
	for i := range fields {
		each[i] = f
		each[i].Field = fields[i]
	}
	if _, negated := f.Operator.Positive(); negated { // of none
		return query.All(each...), nil
	}
	return query.Any(each...), nil
}

// spell makes a filter by equality find a value however it is written: True and 1.0
// are stored as true and 1, and statuses as STATUS_CODE_ERROR.
func (c *ProjectCondition) spell(f *query.Filter) {
	list := f.Values
	switch f.Operator {
	case query.OpEquals, query.OpNotEquals:
		list = []string{f.Value}
	case query.OpIn, query.OpNotIn:
	default:
		return
	}
	var spelled []string
	for _, text := range list {
		spelled = append(spelled, text)
		if also := c.stored(text); also != text {
			spelled = append(spelled, also)
		}
	}
	if len(spelled) == len(list) || len(spelled) > query.MaxFilterValues {
		return
	}
	f.Value, f.Values = "", spelled
	switch f.Operator {
	case query.OpEquals:
		f.Operator = query.OpIn
	case query.OpNotEquals:
		f.Operator = query.OpNotIn
	}
}

// stored returns a value as spans have it.
func (c *ProjectCondition) stored(text string) string {
	const status = "STATUS_CODE_"
	switch {
	case c.Field == "status_code" && !strings.HasPrefix(text, status):
		return status + strings.ToUpper(text)
	case c.Type == "boolean":
		return strings.ToLower(text)
	case c.Type == "number":
		if n, ok := query.ParseNumber(text); ok {
			return strconv.FormatFloat(n, 'f', -1, 64)
		}
	}
	return text
}

// usage are the names that the MCP server gives to counts of tokens.
var usage = map[string]string{
	"llm.usage.prompt_tokens": span.AliasInputTokens, "llm.usage.completion_tokens": span.AliasOutputTokens,
}

// fieldsOf returns what a name of the MCP server's means, any of which may have it:
// it writes llm.* for what is gen_ai.* by now.
func fieldsOf(name string) ([]query.Field, error) {
	if name == "" || len(name) > query.MaxFilterText {
		return nil, fault.New(fault.Invalid, "must have 1 to %d bytes", query.MaxFilterText)
	}
	if alias, known := usage[name]; known {
		name = alias
	}
	f, err := query.ParseField(name)
	rest, legacy := strings.CutPrefix(name, "llm.")
	if err != nil || !legacy || f.Kind != query.FieldAttribute {
		return []query.Field{f}, err
	}
	current, err := query.ParseAttribute("gen_ai." + rest)
	return []query.Field{f, current}, err
}
