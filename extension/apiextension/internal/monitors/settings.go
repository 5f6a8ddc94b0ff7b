// SPDX-License-Identifier: Apache-2.0

package monitors

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/monitor"
)

const settingsField = "evaluator_configs"

// settings say how one evaluator of a setup is to run.
type settings struct {
	path string // where they were written
	// name is the slug or the id of the evaluator, namePath where it was written.
	name, namePath string
	EvaluatorConfig
}

// EvaluatorConfig are settings as their user writes them. The evaluator is named
// by the first of the names that is there: an id says more exactly than a slug,
// which another evaluator may have taken, which one it is.
type EvaluatorConfig struct {
	_ struct{} `doc:"How one evaluator of the setup is to run." anyOf:"evaluator_type|slug|evaluator_id"`

	ID   string `json:"evaluator_id" doc:"The id of a custom evaluator, or the slug."`
	Type string `json:"evaluator_type" doc:"The slug of the evaluator."`
	Slug string `json:"slug" doc:"Another name of evaluator_type."`
	EvaluatorSettings
}

// EvaluatorSettings are settings that do not name their evaluator.
type EvaluatorSettings struct {
	Config config `json:"config" doc:"The evaluator's configuration, as execute takes it." schema:"types=object,null"`

	Inputs     map[string]InputSource `json:"input_mapping" doc:"Where a span has the inputs, by their names; the others are where they are by default." schema:"nullable maxProperties=50" items:"must:\"an object with source and key, or a string\""`
	SampleRate float64                `json:"sample_rate" doc:"The share of traces to judge. Equal rates take the same traces. Left out: all." schema:"nullable maximum=1 exclusiveMinimum=0"`
	Backend    string                 `json:"backend" doc:"What is to judge: auto or a backend that the evaluator has." schema:"nullable"`
}

// settingsRequest is a list of settings that name their evaluators, or an
// object of settings by slug or id. Left out and null are nil.
type settingsRequest struct {
	list []settings
}

// UnmarshalJSON reads either form.
func (q *settingsRequest) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	q.list = []settings{}
	if text[0] == '{' {
		var byName map[string]EvaluatorSettings
		if err := json.Unmarshal(text, &byName); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(byName)) {
			path := settingsField + "." + rest.Cut(name)
			q.list = append(q.list, settings{path, name, path, EvaluatorConfig{EvaluatorSettings: byName[name]}})
		}
		return nil
	}
	var list []EvaluatorConfig
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	for i, s := range list {
		q.list = append(q.list, s.at(fmt.Sprintf("%s[%d]", settingsField, i)))
	}
	return nil
}

// JSONSchema returns both forms.
func (settingsRequest) JSONSchema(of func(any) map[string]any) map[string]any {
	return map[string]any{
		"oneOf": []any{
			map[string]any{"type": "array", "items": of(EvaluatorConfig{}), "maxItems": 100},
			map[string]any{"type": "object", "additionalProperties": of(EvaluatorSettings{}), "maxProperties": 100},
			map[string]any{"type": "null"},
		},
		"x-must-be": "an array of settings, or an object of them by evaluator",
	}
}

// at returns settings that name their evaluator and were written at a path.
func (q EvaluatorConfig) at(path string) settings {
	s := settings{path: path, EvaluatorConfig: q}
	for _, given := range [...][2]string{{"evaluator_id", q.ID}, {"evaluator_type", q.Type}, {"slug", q.Slug}} {
		if given[1] != "" {
			s.name, s.namePath = given[1], path+"."+given[0]
			break
		}
	}
	return s
}

func (s *settings) empty() bool {
	return s.Config == nil && s.Backend == "" && s.SampleRate == 0 && len(s.Inputs) == 0
}

// apply sets them on an evaluator of a setup.
func (s *settings) apply(w *monitor.SetupEvaluator, e *eval.Evaluator) error {
	w.Config, w.Backend, w.SampleRate, w.Inputs = json.RawMessage(s.Config), s.Backend, s.SampleRate, nil
	if len(s.Inputs) > 0 {
		w.Inputs = make(map[string]monitor.InputSource, len(s.Inputs))
		for name, source := range s.Inputs {
			w.Inputs[name] = monitor.InputSource(source)
		}
	}
	return w.Check(s.path, e)
}

// config is an object as text; null is none.
type config json.RawMessage

// UnmarshalJSON keeps the text.
func (c *config) UnmarshalJSON(text []byte) error {
	if string(text) != "null" {
		*c = slices.Clone(text)
	}
	return nil
}

// JSONSchema returns what it may be.
func (config) JSONSchema(func(any) map[string]any) map[string]any {
	return map[string]any{"type": []string{"object", "null"}}
}

// InputSource says where a span has an input, as its user writes it. A text is short for a field or
// part of the span.
type InputSource monitor.InputSource

// UnmarshalJSON reads either form.
func (q *InputSource) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		q.Source = monitor.Span
		return json.Unmarshal(text, &q.Key)
	}
	return json.Unmarshal(text, (*monitor.InputSource)(q))
}

// JSONSchema returns both forms.
func (InputSource) JSONSchema(of func(any) map[string]any) map[string]any {
	return map[string]any{
		"oneOf":     []any{map[string]any{"type": "string", "minLength": 1}, of(monitor.InputSource{})},
		"x-must-be": "an object with source and key, or a string",
	}
}

// checkNamed refuses settings that do not name their evaluators.
func checkNamed(all []settings) error {
	for i := range all {
		if all[i].name == "" {
			return fault.New(fault.Invalid, "%s.evaluator_type is required", all[i].path)
		}
	}
	return nil
}
