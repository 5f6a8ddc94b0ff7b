// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// A field that nothing reads is refused, wherever in a setup it is.
func TestSetupFilesWithUnknownFields(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "setups.yaml")
	for text, unknown := range map[string]string{
		"selectr: []":  "selectr",
		"Selector: []": "Selector",
		"selector: [{key: a, source: span_attributes, operater: exists}]":        "selector[0].operater",
		"evaluators: [word-count, {slug: char-count, sample_rat: 0.1}]":          "evaluators[1].sample_rat",
		"evaluator_configs: {word-count: {samplerate: 0.1}}":                     "evaluator_configs.word-count.samplerate",
		"evaluator_configs: [{slug: word-count, samplerate: 0.1}]":               "evaluator_configs[0].samplerate",
		"on_verdict: [{evaluator: pii-detector, action: mask, onfailure: keep}]": "on_verdict[0].onfailure",
		"max_cost: 5": "max_cost",
	} {
		require.NoError(t, os.WriteFile(file, []byte("external_id: a\n"+text+"\n"), 0o600))
		_, err := readSetups([]string{file})
		require.ErrorContains(t, err, file+`: setup "a" has the unknown field `+unknown+"; the fields here are ")
		var exit *exitError
		require.ErrorAs(t, err, &exit)
		require.Equal(t, ExitUsage, exit.code)
	}
	require.NoError(t, os.WriteFile(file, []byte(`
external_id: a
x-owner: team one
id: 1
selector: [{key: a, op: equals, value: 1, value_type: number, x-why: as agreed}]
evaluators: [{evaluator_type: word-count, status: done, input_schema: []}]
evaluator_configs: {word-count: {config: {anything: 1}, input_mapping: {text: {other: 1}}}}
`), 0o600))
	_, err := readSetups([]string{file})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte("external_id: a\nselector: {any.attribute: value}\n"), 0o600))
	_, err = readSetups([]string{file})
	require.NoError(t, err)
}

// The known fields are those that the API's document has.
func TestFieldsOfSetupFilesAreThoseOfTheAPI(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../extension/apiextension/openapi.json")
	require.NoError(t, err)
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]any `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	require.NoError(t, json.Unmarshal(b, &document))
	properties := func(schema string) []string {
		return slices.Sorted(maps.Keys(document.Components.Schemas[schema].Properties))
	}
	require.ElementsMatch(t, properties("SetupRequest"), slices.Concat(setupFields, []string{"init_rules"}), "which is read as the selector")
	require.ElementsMatch(t, properties("RuleRequest"), ruleFields)
	require.ElementsMatch(t, properties("EvaluatorConfig"), evaluatorFields)
	require.ElementsMatch(t, properties("OnVerdict"), verdictFields)
	require.Subset(t, slices.Concat(setupFields, answeredFields, []string{"init_rules"}), properties("Setup"))
	require.Subset(t, slices.Concat(evaluatorFields, answeredEvaluatorFields), properties("SetupEvaluator"))
}
