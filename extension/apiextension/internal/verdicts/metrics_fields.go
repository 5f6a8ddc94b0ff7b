// SPDX-License-Identifier: Apache-2.0

package verdicts

import (
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
)

// The types of metrics.
const (
	typeNumeric = "numeric"
	typeBoolean = "boolean"
	typeEnum    = "enum"
)

// units are the units of evaluators whose outputs count something.
var units = map[string]string{"word-count": "words", "char-count": "characters"}

// spanLabels are the labels that are fields of the span.
var spanLabels = map[string]query.Field{
	"trace_id":      {Kind: query.FieldColumn, Name: "trace_id"},
	"span_id":       {Kind: query.FieldColumn, Name: "span_id"},
	"span_name":     {Kind: query.FieldColumn, Name: "span_name"},
	"service_name":  {Kind: query.FieldColumn, Name: "service_name"},
	"event_time":    {Kind: query.FieldColumn, Name: "timestamp"},
	"agent_name":    {Kind: query.FieldAlias, Name: span.AliasEntity},
	"workflow_name": {Kind: query.FieldAlias, Name: span.AliasWorkflow},
	"vendor":        {Kind: query.FieldAlias, Name: span.AliasVendor},
	"model":         {Kind: query.FieldAlias, Name: span.AliasResponseModel},
}

// outputLabels are the labels and columns that are fields of the output.
var outputLabels = map[string]string{
	"evaluator_name": query.OutputEvaluator,
	"run_id":         query.OutputSetup,
	"bool_value":     query.OutputBool,
	"numeric_value":  query.OutputNumber,
	"enum_value":     query.OutputText,
}

// filter returns what one filter comes to: o on the field that its user names.
func (n *names) filter(path, field string, o query.Filter) (query.Filter, error) {
	if key, found := strings.CutPrefix(field, attributePrefix); found && key != "" {
		return attribute(path, key, o)
	}
	name, isLabel := strings.CutPrefix(field, labelPrefix)
	if f, found := spanLabels[name]; found {
		return on(o, f.Kind, f.Name), nil
	}
	if f, found := outputLabels[name]; found {
		return on(o, query.FieldOutput, f), nil
	}
	switch name {
	case "metric_name":
		return n.named(path, o)
	case "metric_source":
		return n.sourced(path, o)
	case "metric_type":
		return typed(o), nil
	case "unit":
		return measured(o), nil
	case "entity_type":
		return constant(o.Holds(metricEntity)), nil
	case "environment", "env":
		return constant(o.Holds(n.env.Slug)), nil
	case "org_id", "organization_id":
		return constant(o.Holds(n.env.OrganizationID)), nil
	case "env_project_id":
		return constant(o.Holds(string(n.env.ID))), nil
	case "insert_time":
		return o, fault.New(fault.Invalid, "%s.field: points cannot be filtered by insert_time; event_time is the span's start", path)
	}
	if isLabel && name != "" {
		return attribute(path, name, o)
	}
	return o, fault.New(fault.Invalid, "%s.field is none of metrics: labels and attributes begin with labels. and attributes.", path)
}

// constant is the condition that always holds, or never does.
func constant(holds bool) query.Filter {
	if holds {
		return query.All()
	}
	return query.Any()
}

// typed is what a filter on metric_type comes to: each type has its field.
func typed(o query.Filter) query.Filter {
	var types []query.Filter
	for kind, field := range map[string]string{
		typeNumeric: query.OutputNumber, typeBoolean: query.OutputBool, typeEnum: query.OutputText,
	} {
		if o.Holds(kind) {
			types = append(types, on(query.Filter{Operator: query.OpExists}, query.FieldOutput, field))
		}
	}
	if len(types) == 3 {
		return query.All()
	}
	slices.SortFunc(types, func(a, b query.Filter) int { return strings.Compare(a.Field.Name, b.Field.Name) })
	return query.Any(types...)
}

// measured is what a filter on unit comes to: evaluators have it, or have none.
func measured(o query.Filter) query.Filter {
	var differ []string
	others := o.Holds("")
	for slug, unit := range units {
		if o.Holds(unit) != others {
			differ = append(differ, slug)
		}
	}
	slices.Sort(differ)
	if len(differ) == 0 {
		return constant(others)
	}
	return among(others, query.OutputEvaluator, differ)
}

// metricEntity is what all points are about.
const metricEntity = "span"
