// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// change is a field of a setup that differs, with its values as JSON; "none"
// where it is absent.
type change struct {
	Field string `json:"field"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// differences returns the fields in which two canonical setups differ, by name.
func differences(from, to map[string]any) []change {
	a, b := make(map[string]string), make(map[string]string)
	flatten("", from, a)
	flatten("", to, b)
	var all []change
	names := slices.Sorted(maps.Keys(a))
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		before, was := a[name]
		after, is := b[name]
		if before == after && was == is {
			continue
		}
		if !was {
			before = "none"
		}
		if !is {
			after = "none"
		}
		all = append(all, change{name, before, after})
	}
	return all
}

// flatten writes the leaves of JSON as path and value.
func flatten(path string, v any, into map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for key, below := range v {
			if path != "" {
				key = path + "." + key
			}
			flatten(key, below, into)
		}
	case []any:
		for i, below := range v {
			flatten(path+"["+strconv.Itoa(i)+"]", below, into)
		}
	default:
		b, err := json.Marshal(v)
		if err != nil {
			b = []byte(fmt.Sprint(v))
		}
		into[path] = string(b)
	}
}

// canonical returns what a setup asks for in one form, whether it comes from a
// file or from the API: rules as objects, evaluators by name with their
// settings, and nothing that is absent or the default.
func canonical(s map[string]any) map[string]any {
	out := make(map[string]any)
	for _, key := range []string{"entity_type", "entity_value", "min_spans", "max_cost_per_day", "deadline_sec", "other_languages", "on_verdict", "paused"} {
		put(out, key, s[key])
	}
	if n, ok := out["min_spans"].(float64); ok && n == 1 {
		delete(out, "min_spans")
	}
	if out["other_languages"] == "judge" {
		delete(out, "other_languages")
	}
	if out["paused"] == false {
		delete(out, "paused")
	}
	rules, ok := s["init_rules"]
	if !ok {
		rules = s["selector"]
	}
	put(out, "selector", withoutEntity(canonicalRules(rules), out["entity_value"]))
	put(out, "evaluators", canonicalEvaluators(s))
	return out
}

// put sets a member unless the value is absent or empty.
func put(m map[string]any, key string, v any) {
	switch empty := v.(type) {
	case nil:
		return
	case string:
		if empty == "" {
			return
		}
	case []any:
		if len(empty) == 0 {
			return
		}
	case map[string]any:
		if len(empty) == 0 {
			return
		}
	}
	m[key] = v
}

// withoutEntity returns rules without the one that the API adds for the entity
// of a setup.
func withoutEntity(rules []any, entity any) []any {
	name, is := entity.(string)
	if !is {
		return rules
	}
	return slices.DeleteFunc(rules, func(one any) bool {
		rule, _ := one.(map[string]any)
		return rule["operator"] == "equals" && rule["value"] == name
	})
}

func canonicalRules(v any) []any {
	var rules []any
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			rules = append(rules, map[string]any{"key": key, "source": "span_attributes", "operator": "equals", "value": text(v[key])})
		}
	case []any:
		for _, one := range v {
			rule, ok := one.(map[string]any)
			if !ok {
				return v
			}
			rules = append(rules, canonicalRule(rule))
		}
	}
	return rules
}

// canonicalRule returns a rule with what is the default where it says nothing.
func canonicalRule(rule map[string]any) map[string]any {
	out := map[string]any{"source": "span_attributes", "operator": "equals"}
	for _, key := range []string{"key", "source", "operator"} {
		put(out, key, rule[key])
	}
	if op, ok := rule["op"]; ok {
		put(out, "operator", op)
	}
	if value, ok := rule["value"]; ok && value != nil {
		out["value"] = text(value)
	}
	if values, ok := rule["values"].([]any); ok && len(values) > 0 {
		all := make([]any, len(values))
		for i := range values {
			all[i] = text(values[i])
		}
		out["values"] = all
	}
	return out
}

// text returns a scalar as the API stores it in rules.
func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// canonicalEvaluators returns the evaluators of a setup by name.
func canonicalEvaluators(s map[string]any) map[string]any {
	out := make(map[string]any)
	list, _ := s["evaluators"].([]any)
	for _, one := range list {
		name, settings := one, map[string]any(nil)
		if object, ok := one.(map[string]any); ok {
			name, settings = nameOf(object), object
		}
		out[text(name)] = canonicalSettings(settings)
	}
	configs := s["evaluator_configs"]
	if object, ok := configs.(map[string]any); ok {
		for name, settings := range object {
			if settings, ok := settings.(map[string]any); ok {
				merge(out, name, settings)
			}
		}
	}
	if list, ok := configs.([]any); ok {
		for _, one := range list {
			if settings, ok := one.(map[string]any); ok {
				merge(out, text(nameOf(settings)), settings)
			}
		}
	}
	return out
}

// nameOf returns what an evaluator of a setup goes by.
func nameOf(e map[string]any) any {
	for _, key := range []string{"evaluator_type", "slug", "evaluator_id"} {
		if name, ok := e[key].(string); ok && name != "" {
			return name
		}
	}
	return ""
}

func merge(out map[string]any, name string, settings map[string]any) {
	known, _ := out[name].(map[string]any)
	if known == nil {
		known = make(map[string]any)
	}
	maps.Copy(known, canonicalSettings(settings))
	out[name] = known
}

func canonicalSettings(e map[string]any) map[string]any {
	out := map[string]any{"runs": true} // so that an evaluator without settings is seen
	for _, key := range []string{"config", "sample_rate", "backend"} {
		put(out, key, e[key])
	}
	if rate, ok := out["sample_rate"].(float64); ok && rate == 1 {
		delete(out, "sample_rate")
	}
	if out["backend"] == "auto" {
		delete(out, "backend")
	}
	inputs, _ := e["input_mapping"].(map[string]any)
	mapped := make(map[string]any)
	for name, source := range inputs {
		if key, ok := source.(string); ok {
			source = map[string]any{"source": "span", "key": key}
		}
		mapped[name] = source
	}
	put(out, "input_mapping", mapped)
	return out
}
