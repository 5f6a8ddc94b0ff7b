// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/span"
	"github.com/touchstone-otel/touchstone/internal/store"
)

// The types of metrics.
const (
	typeNumeric = "numeric"
	typeBoolean = "boolean"
	typeEnum    = "enum"
)

// units are those of evaluators whose outputs count something.
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

// pointLabels are the labels and columns that are fields of the point.
var pointLabels = map[string]store.PointField{
	"evaluator_name": store.PointEvaluator,
	"run_id":         store.PointSetup,
	"bool_value":     store.PointBool,
	"numeric_value":  store.PointNumber,
	"enum_value":     store.PointText,
}

// term gives what one filter comes to.
func (n *metricNames) term(path, field string, o metricOperand) (term, error) {
	if key, found := strings.CutPrefix(field, attributePrefix); found && key != "" {
		return o.attribute(path, key)
	}
	name, isLabel := strings.CutPrefix(field, labelPrefix)
	if f, found := spanLabels[name]; found {
		return o.on(path, store.PointSpan, f)
	}
	if f, found := pointLabels[name]; found {
		return o.on(path, f, query.Field{})
	}
	switch name {
	case "metric_name":
		return n.named(path, o)
	case "metric_source":
		return n.sourced(path, o)
	case "metric_type":
		return o.typed(), nil
	case "unit":
		return o.measured(), nil
	case "entity_type":
		return constant(o.holds(metricEntity)), nil
	case "environment", "env":
		return constant(o.holds(n.env.Slug)), nil
	case "org_id", "organization_id":
		return constant(o.holds(n.env.OrganizationID)), nil
	case "env_project_id":
		return constant(o.holds(string(n.env.ID))), nil
	case "insert_time":
		return term{}, fault.New(fault.Invalid, "%s.field: points cannot be filtered by insert_time; event_time is the span's start", path)
	}
	if isLabel && name != "" {
		return o.attribute(path, name)
	}
	return term{}, fault.New(fault.Invalid, "%s.field is none of metrics: labels and attributes begin with labels. and attributes.", path)
}

// typed is the term of a filter on metric_type: each type has its field.
func (o metricOperand) typed() term {
	fields := map[string]store.PointField{typeNumeric: store.PointNumber, typeBoolean: store.PointBool, typeEnum: store.PointText}
	var hold, fail []store.PointField
	for _, kind := range []string{typeNumeric, typeBoolean, typeEnum} {
		if o.holds(kind) {
			hold = append(hold, fields[kind])
		} else {
			fail = append(fail, fields[kind])
		}
	}
	switch {
	case len(fail) == 0, len(hold) == 0:
		return constant(len(fail) == 0)
	case len(hold) == 1:
		return one(store.PointFilter{Field: hold[0], Operator: query.OpExists})
	default:
		return one(store.PointFilter{Field: fail[0], Operator: query.OpNotExists})
	}
}

// measured is the term of a filter on unit: evaluators have it, or have none.
func (o metricOperand) measured() term {
	var differ []string
	others := o.holds("")
	for slug, unit := range units {
		if o.holds(unit) != others {
			differ = append(differ, slug)
		}
	}
	slices.Sort(differ)
	switch {
	case len(differ) == 0:
		return constant(others)
	default:
		return among(others, differ, nil)
	}
}

// metricEntity is what all points are about.
const metricEntity = "span"

// sourceOf gives the source of a point.
func sourceOf(p *store.Point) string {
	if p.Backend == eval.Judge {
		return sourceJudge
	}
	return strings.ReplaceAll(p.Evaluator, "-", "_")
}
