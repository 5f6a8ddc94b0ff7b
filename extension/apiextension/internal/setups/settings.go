// SPDX-License-Identifier: Apache-2.0

package setups

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
	settingRequest
}

// settingRequest are settings as their user writes them. The evaluator is named
// by the first of the names that is there: an id says more exactly than a slug,
// which another evaluator may have taken, which one it is.
type settingRequest struct {
	ID     string `json:"evaluator_id"`
	Type   string `json:"evaluator_type"`
	Slug   string `json:"slug"`
	Config config `json:"config"`

	Inputs     map[string]InputSource `json:"input_mapping"`
	SampleRate float64                `json:"sample_rate"` // 0 for all
	Backend    string                 `json:"backend"`
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
		var byName map[string]settingRequest
		if err := json.Unmarshal(text, &byName); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(byName)) {
			path := settingsField + "." + rest.Cut(name)
			q.list = append(q.list, settings{path, name, path, byName[name]})
		}
		return nil
	}
	var list []settingRequest
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	for i, s := range list {
		q.list = append(q.list, s.at(fmt.Sprintf("%s[%d]", settingsField, i)))
	}
	return nil
}

// at returns settings that name their evaluator and were written at a path.
func (q settingRequest) at(path string) settings {
	s := settings{path: path, settingRequest: q}
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

// checkNamed refuses settings that do not name their evaluators.
func checkNamed(all []settings) error {
	for i := range all {
		if all[i].name == "" {
			return fault.New(fault.Invalid, "%s.evaluator_type is required", all[i].path)
		}
	}
	return nil
}
