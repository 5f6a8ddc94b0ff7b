// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The fields that a setup of a file may have: those that the API takes.
var (
	setupFields = []string{
		"external_id", "entity_type", "entity_value", "evaluators", "selector", "evaluator_configs",
		"min_spans", "max_cost_per_day", "deadline_sec", "other_languages", "on_verdict", "paused",
	}
	ruleFields      = []string{"key", "value", "values", "source", "operator", "op"}
	evaluatorFields = []string{"evaluator_type", "slug", "evaluator_id", "config", "input_mapping", "sample_rate", "backend"}
	verdictFields   = []string{"evaluator", "action", "on_failure", "on_uncertain"}
)

// The fields that the API answers besides, and those of rules of the original service,
// which mean nothing in a file.
var (
	answeredFields          = []string{"id", "org_id", "project_id", "env_project_id", "status", "created_at", "updated_at", "paused_since", "resumed_at"}
	answeredEvaluatorFields = []string{"input_schema", "output_schema", "status", "error_message", "processed_at", "binding_id"}
	passedRuleFields        = []string{"value_type"}
)

// checkFields refuses a setup with a field that nothing reads, such as one that is
// misspelled: without its selector a setup is about every span. Names that begin with
// x- are the file's own.
func checkFields(item map[string]any) error {
	if err := check("", item, setupFields, answeredFields); err != nil {
		return err
	}
	if err := checkEach("selector", item["selector"], ruleFields, passedRuleFields); err != nil {
		return err
	}
	if err := checkEach("evaluators", item["evaluators"], evaluatorFields, answeredEvaluatorFields); err != nil {
		return err
	}
	if err := checkEach("on_verdict", item["on_verdict"], verdictFields, nil); err != nil {
		return err
	}
	if settings, ok := item["evaluator_configs"].(map[string]any); ok {
		for _, slug := range slices.Sorted(maps.Keys(settings)) {
			if err := check("evaluator_configs."+slug+".", settings[slug], evaluatorFields, nil); err != nil {
				return err
			}
		}
		return nil
	}
	return checkEach("evaluator_configs", item["evaluator_configs"], evaluatorFields, nil)
}

// checkEach checks the items of a list; what else there is is for the API to refuse.
func checkEach(name string, list any, known, passed []string) error {
	items, _ := list.([]any)
	for i, item := range items {
		if err := check(fmt.Sprintf("%s[%d].", name, i), item, known, passed); err != nil {
			return err
		}
	}
	return nil
}

// check refuses the first field of an object that is neither known nor passed over.
func check(path string, v any, known, passed []string) error {
	object, _ := v.(map[string]any)
	for _, field := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(known, field) && !slices.Contains(passed, field) && !strings.HasPrefix(field, "x-") {
			return fmt.Errorf("has the unknown field %s; the fields here are %s", line(path+field, 100), strings.Join(known, ", "))
		}
	}
	return nil
}
